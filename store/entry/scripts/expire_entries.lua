-- Deletes up to 'batch' entries of a source, oldest first: those beyond the newest 'keep', and those from before 'before' beyond
-- the newest 'listed'. Those that users saved stay, but in no list.
-- KEYS 1 <feed_url>:sort  2 <feed_url>:guidmap  3 <feed_url>:dead  4 <feed_url>:alias  5 <feed_url>:saved
-- ARGV 1 keep  2 batch  3 now; '' to leave no tombstones  4 key prefix  5 before; '' for any age  6 listed
--      7 the most tombstones  8 now; '' to delete also entries that users saved
-- returns how many it deleted
for i, check in ipairs({'ZCARD', 'HLEN', 'ZCARD', 'HLEN', 'ZCARD'}) do redis.call(check, KEYS[i]) end -- before anything is written
local all = redis.call('ZCARD', KEYS[1])
local over = all - ARGV[1]
if ARGV[5] ~= '' then
  over = math.max(over, math.min(redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[5]), all - ARGV[6]))
end
over = math.min(over, tonumber(ARGV[2]))
if over <= 0 then return 0 end
local ids = redis.call('ZRANGE', KEYS[1], 0, over - 1)
local some_saved = ARGV[8] ~= '' and redis.call('EXISTS', KEYS[5]) == 1 -- rare: saves a lookup for each entry
for _, id in ipairs(ids) do
  local known = redis.call('HMGET', ARGV[4] .. id, 'guid', 'aliases')
  local guid = known[1]
  if guid then
    if redis.call('HGET', KEYS[2], guid) == id then redis.call('HDEL', KEYS[2], guid) end
    if ARGV[3] ~= '' then redis.call('ZADD', KEYS[3], ARGV[3], guid) end
  end
  for alias in (known[2] or ''):gmatch('%S+') do
    local owner = redis.call('HGET', KEYS[4], alias)
    if owner == id or owner == '' then redis.call('HDEL', KEYS[4], alias) end
    if owner == id and ARGV[3] ~= '' then redis.call('ZADD', KEYS[3], ARGV[3], alias) end
  end
  if some_saved and #redis.call('ZRANGEBYLEX', KEYS[5], '[' .. id .. ' ', '(' .. id .. '!', 'LIMIT', 0, 1) > 0 then
    redis.call('HSET', ARGV[4] .. id, 'expired_at', ARGV[8])
  else
    redis.call('UNLINK', ARGV[4] .. id)
  end
  redis.call('ZREM', KEYS[1], id)
end
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - ARGV[7])
return #ids
