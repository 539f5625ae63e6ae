-- Disables or removes an account, unless it is the last admin. Its sessions, its link and its invitations end, its tokens
-- are revoked, and mails to it are not sent.
-- KEYS 1 username.to.id:<name>  2 staff  3 tokens  4 tokens:used  5 users.removed  6 members  7 invitations  8 tokens:fever
--      9 attempts:as <name>  10 users.names  11 mails  12 users.invited
-- ARGV 1 name  2 'disable' | 'remove'  3 beginning of the keys of accounts  4 beginning of the keys of sessions  5 now
--      6 beginning of the keys of invitations  7 of responses  8 of links
-- returns 1 and the revoked tokens as they were stored; 0: there is no such account; -1: it is the last admin
-- fragment last_admin
-- fragment tokens_of
-- fragment revoke_tokens
local id = redis.call('GET', KEYS[1])
if not id then return {0} end
if last_admin(id, KEYS[2], ARGV[3]) then return {-1} end
local reply, account = {1}, ARGV[3] .. id
revoke_tokens(KEYS[3], KEYS[4], KEYS[8], ARGV[1], reply)
local sessions = account .. ':sessions'
for _, sum in ipairs(redis.call('ZRANGE', sessions, 0, -1)) do
  redis.call('DEL', ARGV[4] .. sum, ARGV[4] .. sum .. ':session')
end
redis.call('DEL', sessions)
for _, hash in ipairs(redis.call('ZRANGE', KEYS[7], 0, -1)) do
  local by = redis.call('HMGET', ARGV[6] .. hash, 'creator', 'inviter')
  if by[1] == ARGV[1] or by[2] == id then -- with a token, the creator is that
    redis.call('DEL', ARGV[6] .. hash)
    redis.call('ZREM', KEYS[7], hash)
  end
end
redis.call('DEL', ARGV[8] .. (redis.call('HGET', account, 'link') or ''))
for _, mail in ipairs(redis.call('ZRANGE', KEYS[11], 0, -1)) do
  if string.match(mail, ':(%d+):') == id then redis.call('ZREM', KEYS[11], mail) end
end
if ARGV[2] == 'remove' then
  for _, request in ipairs(redis.call('ZRANGE', account .. ':answers', 0, -1)) do redis.call('DEL', ARGV[7] .. request) end
  if redis.call('EXISTS', account .. ':invited') == 0 then redis.call('HDEL', KEYS[12], id) end
  redis.call('DEL', KEYS[1], KEYS[9], account, account .. ':known', account .. ':answers', account .. ':invited')
  redis.call('SREM', KEYS[2], id)
  redis.call('SREM', KEYS[6], id)
  redis.call('ZREM', KEYS[10], ARGV[1])
  redis.call('ZADD', KEYS[5], ARGV[5], id)
else
  redis.call('HSET', account, 'disabled', 1, 'link', '')
  redis.call('HINCRBY', account, 'generation', 1)
end
return reply
