-- Marks entries as read or unread.
-- KEYS 1 user.readmark:<user>  2 user.read:<user>  3 user.keepunread:<user>  4 user.follows:<user>
-- ARGV 1 'read' | 'unread'  2 the most entries in user.read  3 the most in user.keepunread
--      then for each entry: its number, feed_url and timestamp
local above, below = KEYS[2], KEYS[3] -- for entries that differ from the mark of their source
for i = 4, #ARGV, 3 do
  local member, mark = ARGV[i] .. ' ' .. ARGV[i + 1], redis.call('HGET', KEYS[1], ARGV[i + 1])
  local marked = mark and tonumber(ARGV[i + 2]) <= tonumber(mark)
  redis.call('ZREM', ARGV[1] == 'read' and below or above, member)
  if ARGV[1] == 'read' and not marked then redis.call('ZADD', above, ARGV[i + 2], member) end
  if ARGV[1] == 'unread' and marked then redis.call('ZADD', below, ARGV[i + 2], member) end
end
-- Instead of the oldest entries, the marks of their sources say that they are read.
local over = redis.call('ZCARD', above) - ARGV[2]
if over > 0 then
  local oldest = redis.call('ZPOPMIN', above, over)
  for i = 1, #oldest, 2 do
    local url = oldest[i]:match(' (.*)$')
    local mark = redis.call('HGET', KEYS[1], url)
    if redis.call('HEXISTS', KEYS[4], url) == 1 and (not mark or tonumber(mark) < tonumber(oldest[i + 1])) then
      redis.call('HSET', KEYS[1], url, oldest[i + 1])
    end
  end
end
redis.call('ZREMRANGEBYRANK', below, 0, -1 - ARGV[3])
return 1
