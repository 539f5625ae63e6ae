-- Takes an entry out of the lists of its source, or puts it back.
-- KEYS 1 Entry:<n>  2 <feed_url>:sort
-- ARGV 1 id  2 1: hide it; 0: show it
-- returns 1, 0 there is no such entry
redis.call('ZCARD', KEYS[2]) -- before anything is written
local is = redis.call('HMGET', KEYS[1], 'guid', 'timestamp', 'expired_at')
if not is[1] then return 0 end
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'hidden', 1)
  redis.call('ZREM', KEYS[2], ARGV[1])
elseif redis.call('HDEL', KEYS[1], 'hidden') == 1 and not is[3] then
  redis.call('ZADD', KEYS[2], is[2], ARGV[1])
end
return 1
