-- password_changed removes the mail with a link that an account waits for, and queues a notice, before its password is replaced. An account
-- gets a notice in an hour: who changes the password all the time must not flood the address. ttl is that of the queue; '0': no mail is sent.
local function password_changed(mails, account, id, now, ttl)
  local is = redis.call('HMGET', account, 'email', 'password', 'pwd_reset', 'pwd_notice')
  if is[3] then redis.call('ZREM', mails, 'reset:' .. id .. ':' .. is[3]) end
  if ttl == '0' or (is[1] or '') == '' or (is[2] or '') == '' then return end
  local since = now - (tonumber(is[4]) or 0)
  if since >= 0 and since < 3600 then return end -- below 0: the clock was set back
  redis.call('HSET', account, 'pwd_notice', now)
  redis.call('ZADD', mails, now, 'changed:' .. id .. ':' .. now)
  redis.call('EXPIRE', mails, ttl)
end
