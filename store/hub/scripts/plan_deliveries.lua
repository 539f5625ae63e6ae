-- Queues subscriptions of a topic that have a version to deliver. It needs no cursor: a queued subscription has a negative score,
-- so it is not found again.
-- KEYS 1 hub:planning  2 hub:ready  3 hub:topic:<topic>  4 hub:topic:<topic>:subs
-- ARGV 1 topic  2 maximum, up to 1000  3 now
-- returns how many were queued
local version = redis.call('HGET', KEYS[3], 'version')
local found = version and redis.call('ZRANGEBYSCORE', KEYS[4], '(0', version, 'WITHSCORES', 'LIMIT', 0, ARGV[2]) or {}
local subs, ready = {}, {}
for i = 1, #found, 2 do
  subs[i], subs[i + 1] = '-' .. found[i + 1], found[i]
  ready[i], ready[i + 1] = 0, found[i]
end
if #found > 0 then
  redis.call('ZADD', KEYS[4], unpack(subs))
  redis.call('ZADD', KEYS[2], unpack(ready))
end
if #found / 2 < tonumber(ARGV[2]) then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], 'XX', ARGV[3], ARGV[1]) -- behind the other topics
end
return #found / 2
