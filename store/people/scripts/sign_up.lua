-- Adds a member: with an invitation, which ends, or without one, within the limits of a network and of a day.
-- KEYS 1 username.to.id:<name>  2 users.count  3 members  4 invitations  5 invitation:<hash>  6 limit:create_user:<ip>  7 users.today
--      8 users.names  9 users.invited
-- ARGV 1 <hash>; '': no invitation  2 seconds for which a network makes no other account  3 seconds of a day
--      4 accounts a day  5 beginning of the keys of accounts  6 name  7 now
--      8… fields and values
-- returns {result, seconds to wait}: 1; 0: the name is taken; -1: the invitation is not valid; -2: an account was made from the
--         network; -3: too many accounts were made
local invited = ARGV[1] ~= ''
if invited and redis.call('EXISTS', KEYS[5]) == 0 then return {-1, 0} end
if not invited then
  local wait = redis.call('TTL', KEYS[6])
  if wait ~= -2 then return {-2, math.max(1, wait)} end
  if (tonumber(redis.call('GET', KEYS[7])) or 0) >= tonumber(ARGV[4]) then return {-3, math.max(1, redis.call('TTL', KEYS[7]))} end
end
if redis.call('EXISTS', KEYS[1]) == 1 then return {0, 0} end
local id = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], id)
redis.call('HSET', ARGV[5] .. id, 'id', id, unpack(ARGV, 8))
redis.call('SADD', KEYS[3], id)
redis.call('ZADD', KEYS[8], 0, ARGV[6])
if invited then
  local inviter = redis.call('HGET', KEYS[5], 'inviter') or '' -- older versions did not write it
  if inviter ~= '' then
    redis.call('HSET', KEYS[9], id, inviter)
    redis.call('ZADD', ARGV[5] .. inviter .. ':invited', ARGV[7], id)
  end
  redis.call('DEL', KEYS[5])
  redis.call('ZREM', KEYS[4], ARGV[1])
else
  redis.call('SET', KEYS[6], 1, 'EX', ARGV[2])
  if redis.call('INCR', KEYS[7]) == 1 then redis.call('EXPIRE', KEYS[7], ARGV[3]) end
end
return {1, 0}
