-- Stores the entries of a timeline as they were read, beside those that arrived since, unless the follows have changed.
-- KEYS 1 feed:user:<user>  2 feed:user:<user>:warm
-- ARGV 1 token of begin_rebuild  2 how many entries a cache has at most  3 TTL of the cache  4 TTL of "ready"  5 TTL of "empty"
--      then score and member of each entry, newest first
-- returns 1 the cache can be used, 0 it must be built again
local cache, most = KEYS[1], tonumber(ARGV[2])
if redis.call('GET', KEYS[2]) ~= 'building ' .. ARGV[1] then return 0 end
for i = 6, #ARGV, 2 do redis.call('ZADD', cache, 'NX', ARGV[i], ARGV[i + 1]) end -- what arrived since has a newer score
if #ARGV - 5 >= 2 * most then
  -- There may be others between the last entry that was read and those below, which moved since.
  local score, member = ARGV[#ARGV - 1], ARGV[#ARGV]
  redis.call('ZREMRANGEBYSCORE', cache, '-inf', '(' .. score)
  for _, tie in ipairs(redis.call('ZRANGEBYSCORE', cache, score, score)) do
    if tie < member then redis.call('ZREM', cache, tie) end
  end
  redis.call('ZREMRANGEBYRANK', cache, 0, -1 - most)
end
if redis.call('EXPIRE', cache, ARGV[3]) == 1 then
  redis.call('SET', KEYS[2], 'ready', 'EX', ARGV[4])
else
  redis.call('SET', KEYS[2], 'empty', 'EX', ARGV[5])
end
return 1
