-- Announces that a daemon works, by the clock of Redis: those of daemons differ.
-- KEYS 1 hub:daemons
-- ARGV 1 the daemon  2 seconds without an announcement after which a daemon is silent
-- returns the silent daemons
local time = redis.call('TIME')
for _, future in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.3f', time[1] + time[2] / 1000000), '+inf')) do
  redis.call('ZADD', KEYS[1], string.format('%.3f', time[1] + time[2] / 1000000), future) -- the clock was set back since
end
redis.call('ZADD', KEYS[1], string.format('%.3f', time[1] + time[2] / 1000000), ARGV[1])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.3f', time[1] + time[2] / 1000000 - ARGV[2]))
