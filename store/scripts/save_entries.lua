-- Creates and modifies entries of one source, and appends the signals of what changed.
-- KEYS 1 ids:Entry  2 <feed_url>:sort  3 <feed_url>:guidmap  4 <feed_url>:dead  5 <feed_url>:meta  6 signals
--      7 sched:lease  8 <feed_url>:alias  9 activity:<n> of now
-- ARGV 1 feed_url  2 lease token; 'push' if the source just has to exist; '' for a write that needs neither  3 now  4 key prefix
--      5 'feed' to save title, description, link and language in 6-9, else ''
--      10 when the document came; '' for a write by hand  11 its format; '' for as it is known
--      12 step of the ids and 13 what is added, so that each part of an installation has ids of its own
--      then for each entry: id, guid, digest, timestamp, 'held' for no signal of its own or 'revived' for a new one whose
--      guid an expired one had, aliases separated by spaces, number of field pairs, the pairs.
--      The id is '' to find the entry by its guid, else the one entry to save, whatever its guid was.
-- returns {created, modified, unchanged, dead, 1 if feed_modified was sent, last id, created and held, modified and held},
--      or {-1} the lease is lost, {-2} another entry has the guid, {-3} no such entry in this feed: nothing was written
--
-- Running it twice is harmless: the second time every digest is the same.
-- part count
local url, token, now, prefix, received = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[10]
if token == 'push' then
  if redis.call('HEXISTS', KEYS[5], 'added') == 0 then return {-1} end
elseif token ~= '' and redis.call('HGET', KEYS[7], url) ~= token then
  return {-1}
end
if ARGV[11] ~= '' then redis.call('HSET', KEYS[5], 'format', ARGV[11]) end -- readers of the signals want it at once
local most_edits, calm = 24, 7 * 24 * 3600 -- signals of one entry that edits nothing but its text, and what ends the count
local most_aliases = 8

-- cut bounds a value in a diff to 256 bytes, at a character of UTF-8.
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

local created, modified, unchanged, dead, held_created, held_modified, id = 0, 0, 0, 0, 0, 0, nil

-- know notes by which aliases an entry is known. A link that two entries share names neither. Of many aliases the oldest
-- are forgotten.
local function know(id, aliases)
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
  while #all > most_aliases do
    local oldest = table.remove(all, 1)
    if redis.call('HGET', KEYS[8], oldest) == id then redis.call('HDEL', KEYS[8], oldest) end
  end
  redis.call('HSET', prefix .. id, 'aliases', table.concat(all, ' '))
end

-- named is the entry that is known by one of the aliases of a guid.
local function named(aliases)
  for alias in aliases:gmatch('%S+') do
    local owner = alias:sub(1, 2) ~= 'l:' and redis.call('HGET', KEYS[8], alias)
    if owner and redis.call('EXISTS', prefix .. owner) == 1 then return owner end
  end
end

-- Fields that follow from others are no news by themselves; those of the store's own are not the document's to change.
local derived = {digest = true, timestamp = true}
local own = {aliases = true, edits = true, changed_at = true}

-- modify stores the fields from ARGV first to last over those of the entry. It reports what changed, and whether too much
-- has been said of this entry already. A document changes nothing that a later one has set, nor when the entry came out.
local by_hand = received == ''
local function modify(key, guid, first, last, held)
  local flat, old, diff = redis.call('HGETALL', key), {}, {}
  for i = 1, #flat, 2 do old[flat[i]] = flat[i + 1] end
  if not by_hand and tonumber(old.changed_at or 0) > tonumber(received) then return diff, false end
  local was_updated, updated = tonumber(old.date_updated or 0), 0
  for i = first, last, 2 do
    local name, to = ARGV[i], ARGV[i + 1]
    if name == 'guid' then to = guid end
    if old[name] ~= to and (by_hand or name ~= 'date_published' or not old[name]) then
      redis.call('HSET', key, name, to)
      if not derived[name] then diff[name] = {from = cut(old[name] or ''), to = cut(to)} end
    end
    if name == 'date_updated' then updated = tonumber(to) end
    old[name] = nil
  end
  for name, from in pairs(old) do
    if not own[name] and (by_hand or name ~= 'date_published') then
      redis.call('HDEL', key, name)
      diff[name] = {from = cut(from), to = ''}
    end
  end
  if by_hand or not next(diff) then return diff, false end
  local edits = tonumber(old.edits or 0)
  if tonumber(received) - tonumber(old.changed_at or 0) > calm then edits = 0 end
  redis.call('HSET', key, 'changed_at', received)
  if not held and updated > was_updated then return diff, false end
  redis.call('HSET', key, 'edits', edits + 1)
  return diff, edits >= most_edits
end

local buried = redis.call('EXISTS', KEYS[4]) == 1 -- mostly not, and then no guid is looked for there
local at = 14
while at <= #ARGV do
  local want, guid, digest, timestamp, flag, aliases =
    ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  local first, last = at + 7, at + 6 + 2 * tonumber(ARGV[at + 6])
  at = last + 1
  id = redis.call('HGET', KEYS[3], guid)
  if want ~= '' and id ~= want then
    if id then return {-2} end
    local old = redis.call('HMGET', prefix .. want, 'feed_url', 'guid')
    if old[1] ~= url then return {-3} end
    redis.call('HDEL', KEYS[3], old[2])
    redis.call('HSET', KEYS[3], guid, want)
    id = want
  end
  if not id then
    id = named(aliases)
    if id then guid = redis.call('HGET', prefix .. id, 'guid') end
  end
  local held = flag == 'held'
  if not id and buried and flag == 'revived' then redis.call('ZREM', KEYS[4], guid) end
  if not id and buried and redis.call('ZSCORE', KEYS[4], guid) then
    dead = dead + 1
  elseif not id then
    id = string.format('Entry:%.0f', redis.call('INCR', KEYS[1]) * ARGV[12] + ARGV[13])
    redis.call('HSET', prefix .. id, unpack(ARGV, first, last))
    redis.call('HSET', KEYS[3], guid, id)
    redis.call('ZADD', KEYS[2], timestamp, id)
    know(id, aliases)
    created = created + 1
    if held then
      held_created = held_created + 1
    else
      signal('post_created', nil, 'guid', guid, 'entry', id, 'digest', digest)
    end
  elseif want == '' and redis.call('HGET', prefix .. id, 'digest') == digest then
    know(id, aliases)
    unchanged = unchanged + 1
  else
    local diff, silent = modify(prefix .. id, guid, first, last, held)
    know(id, aliases)
    if next(diff) then
      redis.call('ZADD', KEYS[2], timestamp, id)
      modified = modified + 1
      if silent then
        -- stored, and nothing said
      elseif held then
        held_modified = held_modified + 1
      else
        signal('post_modified', diff, 'guid', guid, 'entry', id, 'digest', digest)
      end
    else
      unchanged = unchanged + 1
    end
  end
end

-- The feed itself comes last: what its first document says is news about it, not a modification.
local diff = {}
if ARGV[5] == 'feed' then
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
if held_created + held_modified > 0 then
  signal('feed_modified', diff, 'held_created', held_created, 'held_modified', held_modified)
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
return {created, modified, unchanged, dead, feed_modified, id or '', held_created, held_modified}
