-- Adds a one-time link. It is the only valid link of its account.
-- KEYS 1 link:<hash>  2 username.to.id:<name>
-- ARGV 1 <hash>  2 name; empty: the first account  3 TTL in seconds  4 beginning of the keys of accounts
-- returns 1, or 0 if there is no such account
local whose = ''
if ARGV[2] ~= '' then
  local id = redis.call('GET', KEYS[2])
  if not id then return 0 end
  redis.call('HSET', ARGV[4] .. id, 'link', ARGV[1])
  whose = 'user:' .. id
end
redis.call('SET', KEYS[1], whose, 'EX', ARGV[3])
return 1
