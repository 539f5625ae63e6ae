-- Lets a session last on, unless it has ended.
-- KEYS 1 session:<hash>
-- ARGV 1 now  2 how long, in seconds
-- returns 1, or 0 when it has ended
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'seen', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
