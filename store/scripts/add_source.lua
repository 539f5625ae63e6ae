-- Adds a source, due at once, or updates the settings of a known one.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 signals
-- ARGV 1 source id  2 feed_url  3 now  4 number of setting pairs n, the pairs, then pairs for a new source only
-- returns 1 added, 0 updated
local settings = 4 + 2 * tonumber(ARGV[4])
redis.call('HSET', KEYS[2], unpack(ARGV, 5, settings))
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], unpack(ARGV, settings + 1))
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
redis.call('XADD', KEYS[4], '*', 'kind', 'feed_created', 'feed_url', ARGV[2], 'time', ARGV[3])
return 1
