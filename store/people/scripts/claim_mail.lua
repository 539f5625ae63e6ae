-- Takes the mail that is due first, and makes it due again later.
-- KEYS 1 mails
-- ARGV 1 now  2 seconds until it is due again
-- returns the mail; '': none is due
local mail = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 1)[1]
if not mail then return '' end
redis.call('ZADD', KEYS[1], ARGV[1] + ARGV[2], mail)
return mail
