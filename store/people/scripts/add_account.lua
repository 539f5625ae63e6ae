-- Adds an account.
-- KEYS 1 username.to.id:<name>  2 users.count  3 staff, or members  4 users.names
-- ARGV 1 beginning of the keys of accounts  2 name  3… fields and values
-- returns 1, or 0 if the name is taken
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local id = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], id)
redis.call('HSET', ARGV[1] .. id, 'id', id, unpack(ARGV, 3))
redis.call('SADD', KEYS[3], id)
redis.call('ZADD', KEYS[4], 0, ARGV[2])
return 1
