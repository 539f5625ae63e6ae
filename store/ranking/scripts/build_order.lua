-- Computes the order of a group, some members at a time. Until it is complete it is in a key of its own, in which votes and memberships change
-- what is there already. Several readers may call this at once: each call continues where the last one ended.
-- KEYS 1 group:<name>  2 score:  3 score:<name>  4 score:<name>:build
-- ARGV 1 how many members  2 seconds after which an order is forgotten that no reader continues
-- returns 1 if the order is complete
local group, scores, ranked, build = unpack(KEYS)
if redis.call('EXISTS', ranked) == 1 then return 1 end
local page = redis.call('SSCAN', group, redis.call('ZSCORE', build, 'next') or '0', 'COUNT', ARGV[1])
for _, member in ipairs(page[2]) do
  local score = redis.call('ZSCORE', scores, member)
  if score then redis.call('ZADD', build, score, member) end
end
if page[1] ~= '0' then -- the member next remembers the place, so that both expire together
  redis.call('ZADD', build, page[1], 'next')
  redis.call('EXPIRE', build, ARGV[2])
  return 0
end
redis.call('ZREM', build, 'next')
redis.call('PERSIST', build)
if redis.call('EXISTS', build) == 1 then redis.call('RENAME', build, ranked) end
return 1
