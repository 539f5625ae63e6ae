-- Changes an account, unless it is the last admin and would get another role.
-- KEYS 1 username.to.id:<name>  2 staff  3 tokens  4 tokens:used  5 members  6 tokens:fever  7 mails
-- ARGV 1 name  2 beginning of the keys of accounts  3 flag of the new role, '' of a member; '-': no change  4 "1" to end its sessions
--      5 "1" to enable it  6 now  7 TTL of the queue of mails if the password changes, '0': no mail is sent; '': it does not change
--      8… more fields and values, if any
-- returns 1; 0: there is no such account; -1: it is the last admin
-- fragment last_admin
-- fragment tokens_of
-- fragment revoke_tokens
-- fragment password_changed
local id = redis.call('GET', KEYS[1])
if not id then return 0 end
local account = ARGV[2] .. id
if ARGV[3] ~= '-' then
  if ARGV[3] ~= 'a' and last_admin(id, KEYS[2], ARGV[2]) then return -1 end
  local others = string.gsub(redis.call('HGET', account, 'flags') or '', '[aev]', '')
  redis.call('HSET', account, 'flags', ARGV[3] .. others)
  redis.call('SREM', KEYS[2], id)
  redis.call('SREM', KEYS[5], id)
  redis.call('SADD', ARGV[3] == '' and KEYS[5] or KEYS[2], id)
end
if ARGV[5] == '1' and redis.call('HGET', account, 'disabled') == '1' then
  redis.call('HSET', account, 'disabled', 0)
  revoke_tokens(KEYS[3], KEYS[4], KEYS[6], ARGV[1], {}) -- older versions disabled accounts without that
end
if ARGV[7] ~= '' then password_changed(KEYS[7], account, id, ARGV[6], ARGV[7]) end
if #ARGV > 7 then redis.call('HSET', account, unpack(ARGV, 8)) end
if ARGV[4] == '1' then
  redis.call('HINCRBY', account, 'generation', 1)
  redis.call('HDEL', account, 'auth', 'apisecret')
end
return 1
