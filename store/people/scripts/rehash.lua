-- Stores another form of a password, unless the account has another password by now.
-- KEYS 1 user:<id>
-- ARGV 1 password that was compared  2 the same in another form  3 its salt
-- returns 1, or 0 if it has another
if redis.call('HGET', KEYS[1], 'password') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'password', ARGV[2], 'salt', ARGV[3])
return 1
