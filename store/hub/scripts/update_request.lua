-- Replaces a request and its due time, or deletes it.
-- KEYS 1 hub:requests  2 hub:verify
-- ARGV 1 id  2 value that was read  3 new value, '' to delete the request  4 due time
-- returns 1, or 0 if the request has another value
local value = redis.call('HGET', KEYS[1], ARGV[1])
if value ~= ARGV[2] then return (value or '') == ARGV[3] and 1 or 0 end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
return 1
