-- Adds a source, or updates the settings of a known one. The first ten sources of a crowd are due at once, the others
-- at places in the given time that follow from their ids.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 signals  5 sched:added  6 activity:<n> of now
-- ARGV 1 source id  2 feed_url  3 now  4 seconds over which a crowd is spread; 0: it is not
--      5 edition of the settings that these follow, 0 for any  6 number of setting pairs n, the pairs, then pairs for a
--      new source only
-- returns 1 added, 0 updated, -1 the settings are of another edition
-- part count
local settings = 6 + 2 * tonumber(ARGV[6])
local known = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
if ARGV[5] ~= '0' and (redis.call('HGET', KEYS[2], 'edition') or '0') ~= ARGV[5] then return -1 end
redis.call('HSET', KEYS[2], unpack(ARGV, 7, settings))
if known then
  redis.call('HINCRBY', KEYS[2], 'edition', 1)
  return 0
end

-- The first edition is a time, so that a source which was removed does not come back to one seen before.
redis.call('HSET', KEYS[2], 'edition', string.format('%.0f', math.floor(ARGV[3] * 1000)))
local now, spread = tonumber(ARGV[3]), tonumber(ARGV[4])
local due, reason = now, 'new'
if spread > 0 then
  local crowd = redis.call('HMGET', KEYS[5], 'count', 'last')
  local count = tonumber(crowd[2] or 0) > now - 10 and tonumber(crowd[1]) or 0
  redis.call('HSET', KEYS[5], 'count', count + 1, 'last', ARGV[3])
  redis.call('EXPIRE', KEYS[5], 60)
  if count >= 10 then
    due = now + spread * tonumber(ARGV[1]:sub(1, 6), 16) / 0x1000000
    reason = 'new, one of many that were added together'
  end
end
due = string.format('%.3f', due)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], 'next_poll', due, 'next_reason', reason, unpack(ARGV, settings + 1))
redis.call('ZADD', KEYS[3], due, ARGV[2])
redis.call('XADD', KEYS[4], '*', 'kind', 'feed_created', 'feed_url', ARGV[2], 'time', ARGV[3])
count(KEYS[6], 'signals', 1)
return 1
