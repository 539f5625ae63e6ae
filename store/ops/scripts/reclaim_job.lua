-- Ends the claim of a daemon that was killed.
-- KEYS 1 jobs  2 job:<id>:work
-- ARGV 1 id  2 prefix of the daemon's tokens  3 now
-- returns 1, or 0 if the daemon has no claim
local token = redis.call('HGET', KEYS[2], 'token')
if not token or token:sub(1, #ARGV[2]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], 'token')
redis.call('ZADD', KEYS[1], 'XX', ARGV[3], ARGV[1])
return 1
