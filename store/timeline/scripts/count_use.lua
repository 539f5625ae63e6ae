-- Counts something that a user may do only so often.
-- KEYS 1 user.fetches:<user> or user.posting:<user>
-- ARGV 1 how often  2 in how many seconds
-- returns 0, or the seconds after which the user may do it again
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
if count <= tonumber(ARGV[1]) then return 0 end
return math.max(1, redis.call('TTL', KEYS[1]))
