-- Adds a topic of webhooks to those with subscriptions, if it has some.
-- KEYS 1 hub:topics  2 hub:filters
-- ARGV 1 topic
-- returns 1
local url = redis.call('HGET', KEYS[1], ARGV[1])
if url then redis.call('HSET', KEYS[2], ARGV[1], url) end
return 1
