-- Records the last session by token of an account, and gives the account a secret unless it has one.
-- KEYS 1 user:<id>
-- ARGV 1 new secret  2 <sum> of the session
-- returns the secret, or false if there is no such account
if redis.call('HEXISTS', KEYS[1], 'id') == 0 then return false end
redis.call('HSETNX', KEYS[1], 'apisecret', ARGV[1])
redis.call('HSET', KEYS[1], 'auth', ARGV[2])
return redis.call('HGET', KEYS[1], 'apisecret')
