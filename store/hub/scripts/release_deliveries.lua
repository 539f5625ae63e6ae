-- Makes the deliveries due that a daemon has claimed and not finished, and forgets the daemon. A retry that is due at the millisecond
-- at which a claim would have ended comes early.
-- KEYS 1 hub:claims  2 hub:later  3 hub:ready  4 hub:daemons
-- ARGV 1 the daemon  2 seconds for which it must have been silent, 0 for any
-- returns how many deliveries there were
local time, seen = redis.call('TIME'), redis.call('ZSCORE', KEYS[4], ARGV[1])
if ARGV[2] ~= '0' and seen and time[1] + time[2] / 1000000 - seen < tonumber(ARGV[2]) then return 0 end
local released = 0
for _, claim in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local fence, daemon = claim:match('^(%S+) (.*)$')
  if daemon == ARGV[1] then
    for _, sub in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], fence, fence)) do
      redis.call('ZREM', KEYS[2], sub)
      redis.call('ZADD', KEYS[3], 0, sub)
      released = released + 1
    end
    redis.call('ZREM', KEYS[1], claim)
  end
end
redis.call('ZREM', KEYS[4], ARGV[1])
return released
