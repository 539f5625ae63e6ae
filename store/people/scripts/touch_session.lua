-- Extends a session, unless it has ended.
-- KEYS 1 session:<hash>
-- ARGV 1 now  2 idle time in seconds
-- returns 1, or 0 if it has ended
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'seen', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
