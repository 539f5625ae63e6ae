-- Extends a session, unless it has ended.
-- KEYS 1 auth:<sum>  2 auth:<sum>:session
-- ARGV 1 now  2 idle time in seconds
-- returns 1, or 0 if it has ended
if redis.call('EXPIRE', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('HSET', KEYS[2], 'seen', ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1
