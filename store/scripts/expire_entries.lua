-- Deletes the oldest entries of a source beyond the newest 'keep', at most 'batch' of them.
-- KEYS 1 <feed_url>:sort  2 <feed_url>:guidmap  3 <feed_url>:dead
-- ARGV 1 keep  2 batch  3 now; '' to leave no tombstones  4 key prefix
-- returns the number deleted
local over = math.min(redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[1]), tonumber(ARGV[2]))
if over <= 0 then return 0 end
local ids = redis.call('ZRANGE', KEYS[1], 0, over - 1)
for _, id in ipairs(ids) do
  local guid = redis.call('HGET', ARGV[4] .. id, 'guid')
  if guid then
    if redis.call('HGET', KEYS[2], guid) == id then redis.call('HDEL', KEYS[2], guid) end
    if ARGV[3] ~= '' then redis.call('ZADD', KEYS[3], ARGV[3], guid) end
  end
  redis.call('UNLINK', ARGV[4] .. id)
  redis.call('ZREM', KEYS[1], id)
end
return #ids
