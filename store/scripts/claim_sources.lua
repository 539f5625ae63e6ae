-- Claims due sources. A claim that is not finished makes the source due again when the lease ends.
-- KEYS 1 sched:due  2 sched:lease
-- ARGV 1 now  2 most  3 end of the lease  4 token base, unique to this call
-- returns feed_url, due time, token of each, oldest due first
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local out = {}
for i = 1, #due, 2 do
  local token = ARGV[4] .. '-' .. i
  redis.call('ZADD', KEYS[1], ARGV[3], due[i])
  redis.call('HSET', KEYS[2], due[i], token)
  for _, v in ipairs({due[i], due[i + 1], token}) do out[#out + 1] = v end
end
return out
