-- Queues subscriptions of the topic whose turn it is and that have a version to deliver.
-- KEYS 1 hub:planning  2 hub:ready
-- ARGV 1 start of the keys of topics  2 maximum, up to 1000  3 now
-- returns how many were queued, -1 if no topic waits
-- fragment queue_deliveries
local topic = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
if not topic then return -1 end
local key = ARGV[1] .. topic
local version = redis.call('HGET', key, 'version')
local queued = version and queue_deliveries(KEYS[2], key .. ':subs', version, ARGV[2]) or 0
if queued < tonumber(ARGV[2]) then
  redis.call('ZREM', KEYS[1], topic)
else
  redis.call('ZADD', KEYS[1], ARGV[3], topic) -- behind the other topics
end
return queued
