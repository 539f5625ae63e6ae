-- Claims due requests to the hub. A request that is not updated is due again when the claim ends.
-- KEYS 1 hub:verify  2 hub:asking:<id> of this daemon, to find its claims after it was killed; optional
-- ARGV 1 now  2 maximum  3 end of the claim
-- returns when the next request is due ('' for never), the claimed requests
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(due) do
  redis.call('ZADD', KEYS[1], ARGV[3], id)
  if KEYS[2] then redis.call('ZADD', KEYS[2], ARGV[3], id) end
end
if KEYS[2] and #due > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
  redis.call('EXPIRE', KEYS[2], math.floor(ARGV[3] - ARGV[1] + 0.5))
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {first[2] or '', unpack(due)}
