-- Adds an invitation, unless too many are valid.
-- KEYS 1 invitations  2 invitation:<hash>
-- ARGV 1 <hash>  2 now  3 end of its life  4 TTL in seconds  5 maximum of invitations  6… fields and values
-- returns 1, or 0 if there are too many
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[5]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], unpack(ARGV, 6))
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1
