-- Counts a mail to an address.
-- KEYS 1 limit:mail:<hash>
-- ARGV 1 seconds in which mails are counted
-- returns how many there were
local sent = redis.call('INCR', KEYS[1])
if sent == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return sent
