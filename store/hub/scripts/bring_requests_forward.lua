-- Makes requests due that were made before the clock was set back.
-- KEYS 1 hub:requests  2 hub:verify
-- ARGV 1 now  2 the latest time that is not in the future
-- returns how many
local moved = 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf')) do
  local request = redis.call('HGET', KEYS[1], id)
  if request and tonumber(request:match('\n(%S+)')) > tonumber(ARGV[2]) then
    redis.call('ZADD', KEYS[2], ARGV[1], id)
    moved = moved + 1
  end
end
return moved
