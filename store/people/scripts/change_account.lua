-- Changes an account, unless it is the last admin and would get another role.
-- KEYS 1 account:<name>  2 accounts  3 tokens  4 tokens:used
-- ARGV 1 name  2 beginning of the keys of accounts  3 new role; empty: no change  4 "1" to end its sessions  5 "1" to enable it
--      6… more fields and values, if any
-- returns 1; 0: there is no such account; -1: it is the last admin
-- fragment last_admin
-- fragment revoke_tokens
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[3] ~= '' then
  if ARGV[3] ~= 'admin' and last_admin(KEYS[1], ARGV[1], KEYS[2], ARGV[2]) then return -1 end
  redis.call('HSET', KEYS[1], 'role', ARGV[3])
end
if ARGV[5] == '1' and redis.call('HGET', KEYS[1], 'disabled') == '1' then
  redis.call('HSET', KEYS[1], 'disabled', 0)
  revoke_tokens(KEYS[3], KEYS[4], ARGV[1], {}) -- older versions disabled accounts without that
end
if #ARGV > 5 then redis.call('HSET', KEYS[1], unpack(ARGV, 6)) end
if ARGV[4] == '1' then redis.call('HINCRBY', KEYS[1], 'generation', 1) end
return 1
