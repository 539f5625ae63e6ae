-- Reads a one-time link.
-- KEYS 1 link:<hash>  2 staff
-- ARGV 1 <hash>  2 beginning of the keys of accounts
-- returns the name of its account, empty for the first account; nothing if the link is not valid, or no longer
-- fragment linked
local whose = redis.call('GET', KEYS[1])
if not whose then return false end
if whose == '' then return redis.call('SCARD', KEYS[2]) == 0 and '' end
local account = linked(whose, ARGV[1], ARGV[2])
return account and redis.call('HGET', account, 'username')
