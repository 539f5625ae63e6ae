-- Claims open topics whose check is due. A check that does not end by the end of its claim is due again.
-- KEYS 1 hub:open  2 hub:open:due  3 hub:open:checks
-- ARGV 1 now  2 maximum  3 end of the claim  4 when to try again a topic that is being checked
-- returns when the next check is due ('' for never), the records of the claimed topics
for _, topic in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  redis.call('ZREM', KEYS[3], topic)
  redis.call('ZADD', KEYS[2], ARGV[1], topic)
end
local claimed = {}
for _, topic in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local record = redis.call('HGET', KEYS[1], topic)
  if redis.call('ZSCORE', KEYS[3], topic) then
    redis.call('ZADD', KEYS[2], ARGV[4], topic)
  else
    redis.call('ZREM', KEYS[2], topic)
    if record then
      redis.call('ZADD', KEYS[3], ARGV[3], topic)
      claimed[#claimed + 1] = record
    end
  end
end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
return {first[2] or '', unpack(claimed)}
