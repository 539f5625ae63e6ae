-- Counts that a member uses the site: one karma for each hour in which that happens.
-- fragment karma
-- KEYS 1 user:<id>
-- ARGV 1 now  2 seconds until the member gets karma again
-- returns {karma, unread replies}
local is = redis.call('HMGET', KEYS[1], 'karma_incr_time', 'ctime', 'id')
if is[3] and ARGV[1] - (is[1] or is[2] or 0) > tonumber(ARGV[2]) then
  earn(KEYS[1], 1)
  redis.call('HSET', KEYS[1], 'karma_incr_time', ARGV[1])
end
return redis.call('HMGET', KEYS[1], 'karma', 'replies')
