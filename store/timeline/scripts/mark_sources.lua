-- Marks the entries of sources up to a time as read.
-- KEYS 1 user.readmark:<user>  2 user.read:<user>  3 user.keepunread:<user>  4 user.follows:<user>
-- ARGV 1 the most marks of sources that the user does not follow; then for each source: feed_url, the time in Unix seconds
local upto, last = {}, nil
for i = 2, #ARGV, 2 do
  local url, time = ARGV[i], tonumber(ARGV[i + 1])
  local mark = redis.call('HGET', KEYS[1], url)
  if not mark or tonumber(mark) < time then redis.call('HSET', KEYS[1], url, ARGV[i + 1]) end
  upto[url] = time
  if not last or time > last then last = time end
end
for _, key in ipairs({KEYS[2], KEYS[3]}) do -- what a mark says is not stored for each entry
  local all = last and redis.call('ZRANGEBYSCORE', key, '-inf', last, 'WITHSCORES') or {}
  for i = 1, #all, 2 do
    local time = upto[all[i]:match(' (.*)$')]
    if time and tonumber(all[i + 1]) <= time then redis.call('ZREM', key, all[i]) end
  end
end
if redis.call('HLEN', KEYS[1]) > redis.call('HLEN', KEYS[4]) + ARGV[1] then
  for _, url in ipairs(redis.call('HKEYS', KEYS[1])) do
    if redis.call('HEXISTS', KEYS[4], url) == 0 then redis.call('HDEL', KEYS[1], url) end
  end
end
return 1
