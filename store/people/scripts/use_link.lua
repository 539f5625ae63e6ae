-- Uses a one-time link: makes the first account, or sets the password of the account of the link and ends its sessions.
-- KEYS 1 link:<hash>  2 username.to.id:<name>  3 users.count  4 staff  5 users.names  6 mails
-- ARGV 1 name  2 beginning of the keys of accounts  3 password  4 salt  5 flags of a first account  6 now  7 <hash>
--      8 TTL of the queue of mails; '0': no mail is sent
-- returns 1, or 0 if the link is not valid, or no longer
-- fragment linked
-- fragment password_changed
local whose = redis.call('GET', KEYS[1])
if not whose then return 0 end
if whose == '' then
  if redis.call('SCARD', KEYS[4]) > 0 or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
  local id = redis.call('INCR', KEYS[3])
  redis.call('SET', KEYS[2], id)
  redis.call('HSET', ARGV[2] .. id, 'id', id, 'username', ARGV[1], 'flags', ARGV[5], 'password', ARGV[3], 'salt', ARGV[4],
    'ctime', ARGV[6], 'generation', 0)
  redis.call('SADD', KEYS[4], id)
  redis.call('ZADD', KEYS[5], 0, ARGV[1])
else
  local account = linked(whose, ARGV[7], ARGV[2])
  if not account or redis.call('HGET', account, 'username') ~= ARGV[1] then return 0 end
  password_changed(KEYS[6], account, redis.call('HGET', account, 'id'), ARGV[6], ARGV[8])
  redis.call('HSET', account, 'password', ARGV[3], 'salt', ARGV[4], 'link', '')
  redis.call('HINCRBY', account, 'generation', 1)
  redis.call('HDEL', account, 'auth', 'apisecret')
end
redis.call('DEL', KEYS[1])
return 1
