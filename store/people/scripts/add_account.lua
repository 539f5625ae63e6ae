-- Adds an account.
-- KEYS 1 account:<name>  2 accounts
-- ARGV 1 name  2… fields and values
-- returns 1, or 0 if the name is taken
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('SADD', KEYS[2], ARGV[1])
return 1
