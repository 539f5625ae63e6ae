-- Adds a source, or changes the settings of a stored one. If many sources are added in a row, the first ten are due at once and the
-- others within the spread, at times that follow from their ids.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 signals  5 sched:added  6 activity:<n> of now  7 <feed_url>:takedowns
-- ARGV 1 source id  2 feed_url  3 now  4 spread in seconds; 0: none, negative: the source is local and never due
--      5 revision that the settings replace, 0 for any  6 number of setting pairs, the pairs, then pairs for a
--      new source only
-- returns 1 added, 0 changed, -1 the stored settings have another revision
-- fragment count
local settings = 6 + 2 * tonumber(ARGV[6])
local stored = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
if ARGV[5] ~= '0' and (redis.call('HGET', KEYS[2], 'edition') or '0') ~= ARGV[5] then return -1 end
redis.call('HSET', KEYS[2], unpack(ARGV, 7, settings))
if stored then
  redis.call('HINCRBY', KEYS[2], 'edition', 1)
  return 0
end

-- The first revision is a time, so that no revision of a source that is added again equals one from before its removal.
redis.call('HSET', KEYS[2], 'edition', string.format('%.0f', math.floor(ARGV[3] * 1000)))
local now, spread = tonumber(ARGV[3]), tonumber(ARGV[4])
local due, reason = now, 'new'
if spread > 0 then
  local row = redis.call('HMGET', KEYS[5], 'count', 'last')
  local count = tonumber(row[2] or 0) > now - 10 and tonumber(row[1]) or 0
  redis.call('HSET', KEYS[5], 'count', count + 1, 'last', ARGV[3])
  redis.call('EXPIRE', KEYS[5], 60)
  if count >= 10 then
    due = now + spread * tonumber(ARGV[1]:sub(1, 6), 16) / 0x1000000
    reason = 'new, delayed because many sources were added'
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], unpack(ARGV, settings + 1))
if spread >= 0 then
  due = string.format('%.3f', due)
  redis.call('HSET', KEYS[2], 'next_poll', due, 'next_reason', reason)
  redis.call('ZADD', KEYS[3], due, ARGV[2])
end
redis.call('PERSIST', KEYS[7]) -- of the same source before it was removed
redis.call('XADD', KEYS[4], '*', 'kind', 'feed_created', 'feed_url', ARGV[2], 'time', ARGV[3])
count(KEYS[6], 'signals', 1)
return 1
