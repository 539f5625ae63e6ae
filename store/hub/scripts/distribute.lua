-- Creates versions of topics that have subscriptions, and makes a step of the progress of the hub with them. It queues the first
-- deliveries at once; plan_deliveries.lua queues the others.
-- KEYS 1 hub:cursor  2 hub:ahead  3 hub:planning  4 hub:ready  5… for each distribution: hub:topic:<topic>, hub:topic:<topic>:subs,
--      hub:topic:<topic>:versions
-- ARGV 1 current cursor, '' for none  2 new cursor  3 feed URL of a source  4 its last distributed signal, '' if it is not ahead of
--      the cursor  5 the new one, '' if it is no longer ahead  6 now  7 TTL in seconds of a body that a newer one replaces
--      8 TTL in seconds of the history of a topic  9 its versions at most  10 maximum of deliveries to queue
--      11… for each distribution: topic, start of the keys of its bodies, type, sum, 1 if whole else '', entries, body, posts
--      In a step, a distribution without a type deletes the newest version if that is whole, and creates none.
--      If 2 and 5 are '', there is no step, and a version is created only if its type or sum differs from the newest one.
-- returns the number of versions created, -1 if the progress is another one
-- fragment queue_deliveries
local from, to, url, ahead_from, ahead_to, now, ttl, history_ttl, history_max = unpack(ARGV, 1, 9)
local step = to ~= '' or ahead_to ~= ''
if step then
  local cursor, ahead = redis.call('GET', KEYS[1]) or '', redis.call('HGET', KEYS[2], url) or ''
  if cursor == to and ahead == ahead_to then return 0 end
  if cursor ~= from or ahead ~= ahead_from then return -1 end
end
local made, left = 0, tonumber(ARGV[10])

-- Adds a version to the history of a topic, and removes the oldest one if there are too many.
local function record(history, version, entries, size)
  redis.call('HSET', history, version, string.format('{"time":%s,"entries":%d,"size":%d}', now, entries, size))
  redis.call('EXPIRE', history, history_ttl)
  local last = string.format('%.0f', version - history_max) -- nearly always it is the oldest one
  if redis.call('HDEL', history, last) == 0 and redis.call('HLEN', history) > tonumber(history_max) then
    local oldest
    for _, v in ipairs(redis.call('HKEYS', history)) do
      if not oldest or tonumber(v) < tonumber(oldest) then oldest = v end
    end
    redis.call('HDEL', history, oldest)
  end
end

for i = 5, #KEYS, 3 do
  local a = 11 + (i - 5) / 3 * 8
  local topic, bodies, typ, sum, whole = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4]
  local newest = redis.call('HMGET', KEYS[i], 'version', 'type', 'sum', 'whole')
  if step and typ == '' then
    if newest[4] == '1' then redis.call('UNLINK', bodies .. newest[1]) end
  elseif newest[1] and redis.call('ZCARD', KEYS[i + 1]) > 0 and (step or newest[2] ~= typ or newest[3] ~= sum) then
    local version = string.format('%.0f', tonumber(newest[1]) + 1)
    if whole ~= '' then
      redis.call('UNLINK', bodies .. newest[1]) -- the new one is delivered in its place
    else
      redis.call('EXPIRE', bodies .. newest[1], ttl)
    end
    redis.call('HSET', bodies .. version, 'type', typ, 'body', ARGV[a + 6], 'entries', ARGV[a + 5], 'time', now, 'posts', ARGV[a + 7])
    redis.call('HSET', KEYS[i], 'version', version, 'changed', now, 'type', typ, 'sum', sum, 'whole', whole)
    local queued = queue_deliveries(KEYS[4], KEYS[i + 1], version, left)
    if queued == left then redis.call('ZADD', KEYS[3], 'NX', now, topic) end -- there may be more
    left = left - queued
    record(KEYS[i + 2], version, ARGV[a + 5], #ARGV[a + 6])
    made = made + 1
  end
end
if to ~= from then redis.call('SET', KEYS[1], to) end
if ahead_to ~= '' then
  redis.call('HSET', KEYS[2], url, ahead_to)
elseif ahead_from ~= '' then
  redis.call('HDEL', KEYS[2], url)
end
return made
