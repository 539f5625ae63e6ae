-- Ends a claim without a poll, because a key of the source holds another type. It writes no key of the source.
-- KEYS 1 sched:due  2 sched:lease  3 host:<host>
-- ARGV 1 feed_url  2 lease token  3 new due time
-- returns 1 done, 0 the lease is lost
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[1], 'XX', ARGV[3], ARGV[1]) -- a source that was paused meanwhile is not a member
if redis.pcall('HGET', KEYS[3], 'busy') == ARGV[2] then redis.call('HDEL', KEYS[3], 'busy', 'until', 'next') end
return 1
