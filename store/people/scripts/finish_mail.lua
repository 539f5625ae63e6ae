-- Removes a mail from the queue.
-- KEYS 1 mails  2 user:<id>
-- ARGV 1 the mail  2 1: the account may request another one at once  3 time of the request
-- returns 1
redis.call('ZREM', KEYS[1], ARGV[1])
if ARGV[2] == '1' and redis.call('HGET', KEYS[2], 'pwd_reset') == ARGV[3] then redis.call('HDEL', KEYS[2], 'pwd_reset') end
return 1
