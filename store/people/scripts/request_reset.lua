-- Queues a mail with a link to choose another password, unless the account does not exist, is disabled, has another address or has requested
-- one recently. Only too many requests of a network make a difference to the caller.
-- KEYS 1 username.to.id:<name>  2 mails  3 limit:reset:<ip>
-- ARGV 1 beginning of the keys of accounts  2 address in lower case  3 now  4 seconds between requests of an account  5 TTL of the queue
--      6 requests of a network  7 seconds in which they are counted
-- returns how many seconds to wait; 0: continue
local requests = redis.call('INCR', KEYS[3])
if requests == 1 then redis.call('EXPIRE', KEYS[3], ARGV[7]) end
if requests > tonumber(ARGV[6]) then return math.max(1, redis.call('TTL', KEYS[3])) end
local id = redis.call('GET', KEYS[1])
if not id then return 0 end
local is = redis.call('HMGET', ARGV[1] .. id, 'email', 'disabled', 'pwd_reset')
if (is[1] or '') == '' or string.lower(is[1]) ~= ARGV[2] or is[2] == '1' then return 0 end
local since = ARGV[3] - (tonumber(is[3]) or 0)
if since >= 0 and since < tonumber(ARGV[4]) then return 0 end -- below 0: the clock was set back
redis.call('HSET', ARGV[1] .. id, 'pwd_reset', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], 'reset:' .. id .. ':' .. ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[5])
return 0
