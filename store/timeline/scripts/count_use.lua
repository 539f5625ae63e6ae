-- Counts something that a user may do only so often.
-- KEYS 1 user.fetches:<user>, user.posting:<user>, user.voting:<user>, user.submitting:<user> or user.commenting:<user>; user.uploaded:<user> counts bytes
-- ARGV 1 how often  2 in how many seconds  3 how often now
-- returns 0, or the seconds after which the user may do it again
local count = redis.call('INCRBY', KEYS[1], ARGV[3])
if count == tonumber(ARGV[3]) then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
if count <= tonumber(ARGV[1]) then return 0 end
return math.max(1, redis.call('TTL', KEYS[1]))
