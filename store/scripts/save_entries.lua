-- Creates and modifies entries of one source, and appends the signals of what changed.
-- KEYS 1 ids:Entry  2 <feed_url>:sort  3 <feed_url>:guidmap  4 <feed_url>:dead  5 <feed_url>:meta  6 signals
--      7 sched:lease
-- ARGV 1 feed_url  2 lease token; 'push' if the source just has to exist; '' for a write that needs neither  3 now  4 key prefix
--      5 'feed' to save title, description, link and language in 6-9, else ''
--      then for each entry: id, guid, digest, timestamp, number of field pairs, the pairs.
--      The id is '' to find the entry by its guid, else the one entry to save, whatever its guid was.
-- returns {created, modified, unchanged, dead, 1 if the feed was modified, last id},
--      or {-1} the lease is lost, {-2} another entry has the guid, {-3} no such entry in this feed: nothing was written
--
-- Running it twice is harmless: the second time every digest is the same.
local url, token, now, prefix = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if token == 'push' then
  if redis.call('HEXISTS', KEYS[5], 'added') == 0 then return {-1} end
elseif token ~= '' and redis.call('HGET', KEYS[7], url) ~= token then
  return {-1}
end

-- cut bounds a value in a diff to 256 bytes, at a character of UTF-8.
local function cut(s)
  if #s <= 256 then return s end
  local n = 256
  while n > 0 and s:byte(n + 1) >= 128 and s:byte(n + 1) < 192 do n = n - 1 end
  return s:sub(1, n) .. '…'
end

local function signal(kind, diff, ...)
  if diff then
    redis.call('XADD', KEYS[6], '*', 'kind', kind, 'feed_url', url, 'time', now, 'changed', cjson.encode(diff), ...)
  else
    redis.call('XADD', KEYS[6], '*', 'kind', kind, 'feed_url', url, 'time', now, ...)
  end
end

local created, modified, unchanged, dead, feed_modified, id = 0, 0, 0, 0, 0, ''

-- modify stores the fields from ARGV first to last over those of the entry and reports what changed. The digest and
-- the timestamp follow from the content and are no news by themselves.
local function modify(key, first, last)
  local flat, old, diff = redis.call('HGETALL', key), {}, {}
  for i = 1, #flat, 2 do old[flat[i]] = flat[i + 1] end
  for i = first, last, 2 do
    local name, to = ARGV[i], ARGV[i + 1]
    if old[name] ~= to then
      redis.call('HSET', key, name, to)
      if name ~= 'digest' and name ~= 'timestamp' then diff[name] = {from = cut(old[name] or ''), to = cut(to)} end
    end
    old[name] = nil
  end
  for name, from in pairs(old) do
    redis.call('HDEL', key, name)
    diff[name] = {from = cut(from), to = ''}
  end
  return diff
end

local buried = redis.call('EXISTS', KEYS[4]) == 1 -- mostly not, and then no guid is looked for there
local at = 10
while at <= #ARGV do
  local want, guid, digest, timestamp = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local first, last = at + 5, at + 4 + 2 * tonumber(ARGV[at + 4])
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
  if not id and buried and redis.call('ZSCORE', KEYS[4], guid) then
    dead = dead + 1
  elseif not id then
    id = 'Entry:' .. redis.call('INCR', KEYS[1])
    redis.call('HSET', prefix .. id, unpack(ARGV, first, last))
    redis.call('HSET', KEYS[3], guid, id)
    redis.call('ZADD', KEYS[2], timestamp, id)
    signal('post_created', nil, 'guid', guid, 'entry', id, 'digest', digest)
    created = created + 1
  elseif want == '' and redis.call('HGET', prefix .. id, 'digest') == digest then
    unchanged = unchanged + 1
  else
    local diff = modify(prefix .. id, first, last)
    redis.call('ZADD', KEYS[2], timestamp, id)
    if next(diff) then
      signal('post_modified', diff, 'guid', guid, 'entry', id, 'digest', digest)
      modified = modified + 1
    else
      unchanged = unchanged + 1
    end
  end
end

-- The feed itself comes last: what its first document says is news about it, not a modification.
if ARGV[5] == 'feed' then
  local names = {'title', 'description', 'link', 'language'}
  local old, diff = redis.call('HMGET', KEYS[5], unpack(names)), {}
  for i, name in ipairs(names) do
    local from, to = old[i] or '', ARGV[5 + i]
    if from ~= to then
      diff[name] = {from = cut(from), to = cut(to)}
      redis.call('HSET', KEYS[5], name, to)
    end
  end
  if next(diff) and redis.call('HEXISTS', KEYS[5], 'last_document') == 1 then
    signal('feed_modified', diff)
    feed_modified = 1
  end
end
return {created, modified, unchanged, dead, feed_modified, id or ''}
