-- Forgets an open topic.
-- KEYS 1 hub:open  2 hub:open:due  3 hub:open:checks  4 hub:open:bytes
-- ARGV 1 topic
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
local bytes = redis.call('HGET', KEYS[4], ARGV[1])
if bytes then
  redis.call('HDEL', KEYS[4], ARGV[1])
  if redis.call('HINCRBY', KEYS[4], 'all', -bytes) == 0 then redis.call('DEL', KEYS[4]) end
end
return 1
