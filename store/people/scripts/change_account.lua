-- Changes an account.
-- KEYS 1 account:<name>
-- ARGV 1 "1" to end its sessions  2… fields and values, if any
-- returns 1, or 0 if there is no such account
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if #ARGV > 1 then redis.call('HSET', KEYS[1], unpack(ARGV, 2)) end
if ARGV[1] == '1' then redis.call('HINCRBY', KEYS[1], 'generation', 1) end
return 1
