-- password_changed removes the mail with a link that an account waits for, and queues a notice, before its password is replaced. ttl is that of
-- the queue; '0': no mail is sent.
local function password_changed(mails, account, id, now, ttl)
  local is = redis.call('HMGET', account, 'email', 'password', 'pwd_reset')
  if is[3] then redis.call('ZREM', mails, 'reset:' .. id .. ':' .. is[3]) end
  if ttl == '0' or (is[1] or '') == '' or (is[2] or '') == '' then return end
  redis.call('ZADD', mails, now, 'changed:' .. id .. ':' .. now)
  redis.call('EXPIRE', mails, ttl)
end
