-- Reads members of a cache after a cursor, and lets the cache live longer unless another read has just done so: Redis may wait for the
-- disk after each write.
-- KEYS 1 feed:user:<user>  2 feed:user:<user>:warm
-- ARGV 1 score of the cursor; '' for the start  2 its member  3 how many  4 TTL of the cache  5 TTL of "ready"  6 how much less both may be
-- returns {1 if the cache can be used, 1 if it must be built, members with scores}
local state = redis.call('GET', KEYS[2])
if not state then return {0, 1, {}} end
if state:sub(1, 8) == 'building' then return {0, 0, {}} end
local ttl = redis.call('TTL', KEYS[1])
if state == 'ready' and ttl == -2 then return {0, 1, {}} end -- evicted
if ttl < ARGV[4] - ARGV[6] then
  redis.call('EXPIRE', KEYS[1], ARGV[4])
  if state == 'ready' then redis.call('EXPIRE', KEYS[2], ARGV[5]) end
end
local score, member, first = ARGV[1], ARGV[2], 0
if score ~= '' and redis.call('ZSCORE', KEYS[1], member) == score then
  first = redis.call('ZREVRANK', KEYS[1], member) + 1
elseif score ~= '' then
  first = redis.call('ZCOUNT', KEYS[1], '(' .. score, '+inf')
  for _, tie in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[1], score, score)) do
    if tie >= member then first = first + 1 end
  end
end
return {1, 0, redis.call('ZREVRANGE', KEYS[1], first, first + ARGV[3] - 1, 'WITHSCORES')}
