-- Disables or removes an account, unless it is the last admin. Its sessions and its link end, and its tokens are revoked.
-- KEYS 1 account:<name>  2 accounts  3 account:<name>:sessions  4 account:<name>:known  5 tokens  6 tokens:used
-- ARGV 1 name  2 'disable' | 'remove'  3 beginning of the keys of accounts  4 beginning of the keys of sessions
-- returns 1 and the revoked tokens as they were stored; 0: there is no such account; -1: it is the last admin
-- fragment last_admin
-- fragment revoke_tokens
if redis.call('EXISTS', KEYS[1]) == 0 then return {0} end
if last_admin(KEYS[1], ARGV[1], KEYS[2], ARGV[3]) then return {-1} end
local reply = {1}
revoke_tokens(KEYS[5], KEYS[6], ARGV[1], reply)
for _, hash in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do redis.call('DEL', ARGV[4] .. hash) end
redis.call('DEL', KEYS[3])
if ARGV[2] == 'remove' then
  redis.call('DEL', KEYS[1], KEYS[4])
  redis.call('SREM', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], 'disabled', 1, 'link', '')
  redis.call('HINCRBY', KEYS[1], 'generation', 1)
end
return reply
