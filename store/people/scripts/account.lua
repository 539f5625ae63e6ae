-- Reads an account by its name.
-- KEYS 1 username.to.id:<name>
-- ARGV 1 beginning of the keys of accounts
-- returns the fields and values of user:<id>, or nothing
local id = redis.call('GET', KEYS[1])
if not id then return {} end
return redis.call('HGETALL', ARGV[1] .. id)
