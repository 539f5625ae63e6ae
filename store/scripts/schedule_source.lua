-- Pauses a source, resumes it, or makes it due now. A poll under way goes on to its end.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 sched:lease
-- ARGV 1 source id  2 feed_url  3 now  4 'pause' | 'resume' | 'poll'
-- returns 1 done, 0 no such source, -1 paused: cannot be polled
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[4] == 'pause' then
  redis.call('HSET', KEYS[2], 'paused', '1')
  redis.call('ZREM', KEYS[3], ARGV[2])
  return 1
end
local paused = redis.call('HGET', KEYS[2], 'paused') == '1'
if ARGV[4] == 'poll' and paused then return -1 end
if ARGV[4] == 'resume' and not paused then return 1 end
redis.call('HDEL', KEYS[2], 'paused', 'gone')
if redis.call('HEXISTS', KEYS[4], ARGV[2]) == 0 then redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2]) end
return 1
