-- Ends a poll: gives the lease back and sets the next due time.
-- KEYS 1 <feed_url>:meta  2 sched:due  3 sched:lease
-- ARGV 1 feed_url  2 lease token  3 next due time; '' for none  4 number of field pairs n, the pairs,
--      then fields to delete
-- returns 1 done, 0 the lease is lost and nothing was written
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[3], ARGV[1])
local last = 4 + 2 * tonumber(ARGV[4])
if last > 4 then redis.call('HSET', KEYS[1], unpack(ARGV, 5, last)) end
if #ARGV > last then redis.call('HDEL', KEYS[1], unpack(ARGV, last + 1)) end
if ARGV[3] ~= '' and redis.call('HGET', KEYS[1], 'paused') ~= '1' then
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 1
