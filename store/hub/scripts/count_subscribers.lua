-- Stores the numbers of subscribers of topics on a day, and removes the days before the first one to keep.
-- KEYS for each topic: hub:topic:<topic>:subs, hub:topic:<topic>:pings, hub:topic:<topic>:days
-- ARGV 1 the day  2 the first day to keep  3 TTL in seconds
-- returns the number of topics
for i = 1, #KEYS, 3 do
  redis.call('HSET', KEYS[i + 2], ARGV[1], redis.call('ZCARD', KEYS[i]) - redis.call('SCARD', KEYS[i + 1]))
  redis.call('EXPIRE', KEYS[i + 2], ARGV[3])
  for _, day in ipairs(redis.call('HKEYS', KEYS[i + 2])) do
    if tonumber(day) < tonumber(ARGV[2]) then redis.call('HDEL', KEYS[i + 2], day) end
  end
end
return #KEYS / 3
