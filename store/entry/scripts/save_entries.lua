-- Creates and modifies entries of one source, and appends their signals.
-- KEYS 1 ids:Entry  2 <feed_url>:sort  3 <feed_url>:guidmap  4 <feed_url>:dead  5 <feed_url>:meta  6 signals
--      7 sched:lease  8 <feed_url>:alias  9 activity:<n> of now  10 <feed_url>:takedowns  11 <feed_url>:deleted
-- ARGV 1 feed_url  2 lease token; 'push' if the source must only exist; '' if it need not  3 now  4 key prefix
--      5 a JSON object of fields of the feed that cause no signal, to save them and title, description, link and language from
--      6-9, else ''
--      10 when the document arrived; '' for a write by a person  11 its format; '' if unchanged
--      12 step and 13 offset of the entry numbers, which make them unique: see Keyspace.Numbering
--      14 entries that a hub may push in a minute; 0 for no limit  15 entries to count in that minute
--      16 'updated' if the timestamp follows every edit, else ''
--      17 signalled entries that a source may have in a day; 0 for no limit  18 entries to count in it
--      then for each entry: id, guid, digest, timestamp, flag, aliases separated by spaces, number of field pairs, the pairs.
--      An empty id finds the entry by its guid; otherwise it is the entry to save, and its guid may change. The flag
--      'unsignalled' appends no signal of its own, 'revived' creates an entry although an expired one had its guid, 'new' creates
--      one that must not exist with another digest, although an expired one or one that was taken down had its guid, 'held' is 'new'
--      for one that is in no list and has no signal until show_entry.lua, 'seen <digest>'
--      modifies only an entry with this digest, 'known' only sets names and fields of an entry with the same digest, 'misread
--      <time>' replaces the fields of an entry that did not change after this time: these two are no modifications and have no
--      signal.
-- returns {created, modified, unchanged, dead, 1 if feed_modified was appended, last id, created without a signal, modified
--      without a signal}, or {-1} the lease is lost, {-2} another entry has the guid, {-3} this feed has no such entry,
--      {-4, seconds to wait} the hub pushed too many entries, {-6, seconds to wait} the source has too many in a day, or {-5} the
--      entry has another digest: nothing was written
--
-- It is safe to repeat: the second time every digest is unchanged, and the entries count twice towards the limit of a minute.
-- fragment count
-- A key of another type fails here, before anything is written: an entry must not be stored without its signal.
for i, check in ipairs({'STRLEN', 'ZCARD', 'HLEN', 'ZCARD', 'HLEN', 'XLEN', 'HLEN', 'HLEN'}) do redis.call(check, KEYS[i]) end
redis.call('ZCARD', KEYS[10])
redis.call('ZCARD', KEYS[11])
local url, token, now, prefix, received = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[10]
if token == 'push' then
  if redis.call('HEXISTS', KEYS[5], 'added') == 0 then return {-1} end
elseif token ~= '' and redis.call('HGET', KEYS[7], url) ~= token then
  return {-1}
end
local pushed
if ARGV[14] ~= '0' then
  local start
  start, pushed = (redis.call('HGET', KEYS[5], 'pushed') or ''):match('^(%S+) (%d+)$')
  local age = start and tonumber(now) - tonumber(start)
  if not start or age < 0 or age >= 60 then start, pushed, age = now, 0, 0 end
  pushed = pushed + ARGV[15]
  if pushed > tonumber(ARGV[14]) then return {-4, math.ceil(60 - age)} end
  pushed = start .. string.format(' %.0f', pushed)
end
local most, more = tonumber(ARGV[17]), tonumber(ARGV[18])
if most > 0 and more > 0 then
  -- In the course of a day as many are forgotten as are allowed.
  local since, news = (redis.call('HGET', KEYS[5], 'news') or ''):match('^(%S+) (%S+)$')
  local rate = most / 86400
  news = since and math.max(0, news - rate * math.max(0, now - since)) or 0
  local refused = news > 0 and news + more > most -- a document that alone is too long is saved when all are forgotten
  redis.call('HSET', KEYS[5], 'news', now .. string.format(' %.3f', refused and news or news + more))
  if refused then return {-6, math.ceil((news - math.max(0, most - more)) / rate)} end
end
if pushed then redis.call('HSET', KEYS[5], 'pushed', pushed) end
if ARGV[11] ~= '' then redis.call('HSET', KEYS[5], 'format', ARGV[11]) end -- before the signals: their readers use it
-- An entry without a new date may be signalled max_edits times. The count ends after a week without an edit.
local max_edits, quiet = 24, 7 * 24 * 3600
local max_aliases = 8

-- cut limits a value in a diff to 256 bytes and does not split characters of UTF-8.
local function cut(s)
  if #s <= 256 then return s end
  local n = 256
  while n > 0 and s:byte(n + 1) >= 128 and s:byte(n + 1) < 192 do n = n - 1 end
  return s:sub(1, n) .. '…'
end

local signals = 0
local function signal(kind, diff, ...)
  signals = signals + 1
  if diff and next(diff) then
    redis.call('XADD', KEYS[6], '*', 'kind', kind, 'feed_url', url, 'time', now, 'changed', cjson.encode(diff), ...)
  else
    redis.call('XADD', KEYS[6], '*', 'kind', kind, 'feed_url', url, 'time', now, ...)
  end
end

local created, modified, unchanged, dead, silent_created, silent_modified, id = 0, 0, 0, 0, 0, 0, nil

-- add_aliases stores the aliases of an entry. A link that two entries have identifies neither. The newest max_aliases remain.
local function add_aliases(id, aliases)
  local fresh = {}
  for alias in aliases:gmatch('%S+') do
    if redis.call('HSETNX', KEYS[8], alias, id) == 1 then
      fresh[#fresh + 1] = alias
    elseif alias:sub(1, 2) == 'l:' and redis.call('HGET', KEYS[8], alias) ~= id then
      redis.call('HSET', KEYS[8], alias, '')
    end
  end
  if #fresh == 0 then return end
  local all = {}
  for alias in (redis.call('HGET', prefix .. id, 'aliases') or ''):gmatch('%S+') do all[#all + 1] = alias end
  for _, alias in ipairs(fresh) do all[#all + 1] = alias end
  while #all > max_aliases do
    local oldest = table.remove(all, 1)
    if redis.call('HGET', KEYS[8], oldest) == id then redis.call('HDEL', KEYS[8], oldest) end
  end
  redis.call('HSET', prefix .. id, 'aliases', table.concat(all, ' '))
end

-- by_alias finds the entry that has one of the aliases of a guid.
local function by_alias(aliases)
  for alias in aliases:gmatch('%S+') do
    local owner = alias:sub(1, 2) ~= 'l:' and redis.call('HGET', KEYS[8], alias)
    if owner and redis.call('EXISTS', prefix .. owner) == 1 then return owner end
  end
end

-- A change of a derived field alone is no modification. A document does not change the fields of the store's own.
local derived = {digest = true, timestamp = true, source_updated = true}
local own = {aliases = true, hidden = true, edits = true, changed_at = true, source_updated = true, reread_at = true, unread = true}

-- date_edit sets the dates of an entry that was edited. The edit has the date that the source gives it, if that is later than all
-- before, or else the time at which the document arrived. The publication date never changes. It returns whether the source
-- gives a later date_updated than it gave before; source_updated holds that one.
local by_hand = received == ''
local function date_edit(old, new)
  local before = tonumber(old.timestamp or 0)
  before = math.max(before, tonumber(old.date_updated or before))
  local said = old.source_updated or old.date_updated or '0'
  local announced = new.date_updated and tonumber(new.date_updated) > tonumber(said)
  new.source_updated = new.date_updated or said
  local dated = new.date_published or new.date_updated
  if dated and tonumber(new.timestamp) > before then
    new.date_updated = new.timestamp
  else
    new.date_updated = string.format('%.0f', math.floor(tonumber(received)))
  end
  if ARGV[16] == 'updated' then
    new.timestamp = new.date_updated
  elseif not dated then
    new.timestamp = old.timestamp or new.timestamp
  end
  new.date_published = old.date_published or new.date_published
  return announced
end

-- fields_of returns the stored fields of an entry, and those from ARGV first to last.
local function fields_of(key, guid, first, last)
  local flat, old, new = redis.call('HGETALL', key), {}, {}
  for i = 1, #flat, 2 do old[flat[i]] = flat[i + 1] end
  for i = first, last, 2 do new[ARGV[i]] = ARGV[i + 1] end
  new.guid = guid
  return old, new
end

-- replace stores new fields of an entry in place of the old ones, and returns what changed.
local function replace(key, old, new)
  local diff = {}
  for name, to in pairs(new) do
    if old[name] ~= to then
      redis.call('HSET', key, name, to)
      if not derived[name] then diff[name] = {from = cut(old[name] or ''), to = cut(to)} end
    end
  end
  for name, from in pairs(old) do
    if not own[name] and not new[name] then
      redis.call('HDEL', key, name)
      diff[name] = {from = cut(from), to = ''}
    end
  end
  return diff
end

-- modify replaces the fields of an entry by those from ARGV first to last. It returns what changed, whether the entry has had
-- max_edits signals already, and its timestamp. A document changes nothing that a later document set.
local function modify(key, guid, first, last, unsignalled)
  local old, new = fields_of(key, guid, first, last)
  if not by_hand and tonumber(old.changed_at or 0) > tonumber(received) then return {}, false, old.timestamp end
  local announced = not by_hand and date_edit(old, new)
  local diff = replace(key, old, new)
  if old.unread then redis.call('HDEL', key, 'unread') end
  if by_hand or not next(diff) then return diff, false, new.timestamp end
  local edits = tonumber(old.edits or 0)
  if tonumber(received) - tonumber(old.changed_at or 0) > quiet then edits = 0 end
  redis.call('HSET', key, 'changed_at', received)
  if not unsignalled and announced then return diff, false, new.timestamp end
  redis.call('HSET', key, 'edits', edits + 1)
  return diff, edits >= max_edits, new.timestamp
end

-- reread sets fields of an entry with this digest, unless a later document changed it.
local function reread(key, digest, first, last)
  local stored = redis.call('HMGET', key, 'digest', 'changed_at')
  if stored[1] ~= digest or tonumber(stored[2] or 0) > tonumber(received) then return end
  for i = first, last, 2 do
    local name = ARGV[i]
    if name ~= 'guid' and not derived[name] and redis.call('HGET', key, name) ~= ARGV[i + 1] then
      redis.call('HSET', key, name, ARGV[i + 1], 'reread_at', received)
    end
  end
end

-- misread replaces the fields of an entry except its dates, unless it changed after a time.
local function misread(key, guid, first, last, time)
  local old, new = fields_of(key, guid, first, last)
  if tonumber(old.changed_at or 0) > tonumber(time) then return end
  for _, name in ipairs({'timestamp', 'date_published', 'date_updated'}) do new[name] = old[name] end
  if next(replace(key, old, new)) then redis.call('HSET', key, 'reread_at', received, 'unread', old.digest or '') end
end

local buried = redis.call('EXISTS', KEYS[4]) == 1 -- rare: saves a lookup for each guid
local takedowns = redis.call('EXISTS', KEYS[10]) == 1

-- taken_down reports whether an entry with a name was taken down, perhaps while the document was compared.
local function taken_down(guid, aliases)
  if redis.call('ZSCORE', KEYS[10], guid) then return true end
  for alias in aliases:gmatch('%S+') do
    if redis.call('ZSCORE', KEYS[10], alias) then return true end
  end
end
local unsaid = 0 -- entries that count towards the limit of a day, but got no signal
local at = 19
while at <= #ARGV do
  local want, guid, digest, timestamp, flag, aliases =
    ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  local first, last = at + 7, at + 6 + 2 * tonumber(ARGV[at + 6])
  at = last + 1
  local said, held = signals, flag == 'held'
  if held then flag = 'new' end
  id = redis.call('HGET', KEYS[3], guid)
  local seen = flag:match('^seen (.*)$')
  if seen or flag == 'new' and id then
    local stored = redis.call('HGET', prefix .. (id or want), 'digest')
    if stored and stored ~= digest and stored ~= seen then return {seen and -5 or -2} end
  end
  if want ~= '' and id ~= want then
    if id then return {-2} end
    local old = redis.call('HMGET', prefix .. want, 'feed_url', 'guid')
    if old[1] ~= url then return {-3} end
    redis.call('HDEL', KEYS[3], old[2])
    redis.call('HSET', KEYS[3], guid, want)
    id = want
  end
  if not id then
    id = by_alias(aliases)
    if id then guid = redis.call('HGET', prefix .. id, 'guid') end
  end
  local unsignalled = flag == 'unsignalled'
  if not id and buried and (flag == 'revived' or flag == 'new') then redis.call('ZREM', KEYS[4], guid) end
  if not id and takedowns and flag == 'new' then
    redis.call('ZREM', KEYS[10], guid)
    redis.call('ZREM', KEYS[11], guid)
  end
  local known_at = flag:match('^misread (.*)$')
  if flag == 'known' or known_at then
    if id then
      if known_at then
        misread(prefix .. id, guid, first, last, known_at)
      else
        reread(prefix .. id, digest, first, last)
      end
      add_aliases(id, aliases)
    end
    unchanged = unchanged + 1
  elseif not id and (buried and redis.call('ZSCORE', KEYS[4], guid) or takedowns and taken_down(guid, aliases)) then
    dead = dead + 1
  elseif not id then
    id = string.format('Entry:%.0f', redis.call('INCR', KEYS[1]) * ARGV[12] + ARGV[13])
    redis.call('HSET', prefix .. id, unpack(ARGV, first, last))
    redis.call('HSET', KEYS[3], guid, id)
    if held then redis.call('HSET', prefix .. id, 'hidden', 'held') else redis.call('ZADD', KEYS[2], timestamp, id) end
    add_aliases(id, aliases)
    created = created + 1
    if held then
      -- show_entry.lua appends the signal
    elseif unsignalled then
      silent_created = silent_created + 1
    else
      signal('post_created', nil, 'guid', guid, 'entry', id, 'digest', digest)
    end
  elseif want == '' and redis.call('HGET', prefix .. id, 'digest') == digest then
    add_aliases(id, aliases)
    unchanged = unchanged + 1
  else
    local diff, silent, dated = modify(prefix .. id, guid, first, last, unsignalled)
    add_aliases(id, aliases)
    if next(diff) then
      local hidden = redis.call('HGET', prefix .. id, 'hidden')
      if hidden == '1' then redis.call('HSET', prefix .. id, 'hidden', 'edited') end
      if not hidden then redis.call('ZADD', KEYS[2], dated, id) end
      modified = modified + 1
      if silent or hidden then
        -- stored without a signal
      elseif unsignalled then
        silent_modified = silent_modified + 1
      else
        signal('post_modified', diff, 'guid', guid, 'entry', id, 'digest', digest)
      end
    else
      unchanged = unchanged + 1
    end
  end
  if signals == said and (flag == '' or flag == 'revived') then unsaid = unsaid + 1 end
end
if most > 0 and unsaid > 0 then
  local since, news = redis.call('HGET', KEYS[5], 'news'):match('^(%S+) (%S+)$')
  redis.call('HSET', KEYS[5], 'news', since .. string.format(' %.3f', math.max(0, news - unsaid)))
end

-- The feed itself comes last. Its first document describes it and modifies nothing.
local diff = {}
if ARGV[5] ~= '' then
  for name, to in pairs(cjson.decode(ARGV[5])) do
    if to == '' then redis.call('HDEL', KEYS[5], name) else redis.call('HSET', KEYS[5], name, to) end
  end
  local names = {'title', 'description', 'link', 'language'}
  local old = redis.call('HMGET', KEYS[5], unpack(names))
  for i, name in ipairs(names) do
    local from, to = old[i] or '', ARGV[5 + i]
    if from ~= to then
      diff[name] = {from = cut(from), to = cut(to)}
      redis.call('HSET', KEYS[5], name, to)
    end
  end
  if redis.call('HEXISTS', KEYS[5], 'last_document') == 0 then diff = {} end
end
local feed_modified = 0
if silent_created + silent_modified > 0 then
  signal('feed_modified', diff, 'held_created', silent_created, 'held_modified', silent_modified)
  feed_modified = 1
elseif next(diff) then
  signal('feed_modified', diff)
  feed_modified = 1
end
if token ~= '' and token ~= 'push' and created + modified > 0 then -- for finish_poll
  local before, by = (redis.call('HGET', KEYS[5], 'saved') or ''):match('^(%d+) (.*)$')
  redis.call('HSET', KEYS[5], 'saved', created + modified + (by == token and before or 0) .. ' ' .. token)
end
count(KEYS[9], 'created', created, 'modified', modified, 'signals', signals)
return {created, modified, unchanged, dead, feed_modified, id or '', silent_created, silent_modified}
