-- Uses a one-time link: makes the first account, or sets the password of the account of the link and ends its sessions.
-- KEYS 1 link:<hash>  2 account:<name>  3 accounts
-- ARGV 1 name  2 password, bcrypt  3 role of a first account  4 now  5 <hash>
-- returns 1, or 0 if the link is not valid, or no longer
local whose = redis.call('GET', KEYS[1])
if not whose then return 0 end
if whose == '' then
  if redis.call('SCARD', KEYS[3]) > 0 then return 0 end
  redis.call('HSET', KEYS[2], 'name', ARGV[1], 'role', ARGV[3], 'password', ARGV[2], 'created', ARGV[4], 'generation', 0)
  redis.call('SADD', KEYS[3], ARGV[1])
else
  if whose ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
  local newest = redis.call('HGET', KEYS[2], 'link')
  if newest and newest ~= ARGV[5] then return 0 end -- accounts of older versions have none
  redis.call('HSET', KEYS[2], 'password', ARGV[2], 'link', '')
  redis.call('HINCRBY', KEYS[2], 'generation', 1)
end
redis.call('DEL', KEYS[1])
return 1
