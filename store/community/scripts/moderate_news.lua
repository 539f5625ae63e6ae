-- Changes who sees news. Removed news is in neither list, and its URL is free.
-- fragment owned
-- fragment rank
-- KEYS 1 news:<n>  2 news.top  3 news.cron  4 news.unlisted
-- ARGV 1 prefix  2 <n>  3 visible, hidden or removed  4 now
-- returns {'missing' | 'removed', ''}, or {'moderated', what it was}
local is = redis.call('HMGET', KEYS[1], 'id', 'del', 'state', 'url', 'ctime')
if not is[1] then return {'missing', ''} end
if is[2] then return {'removed', ''} end
local before, state = is[3] or 'visible', ARGV[3]
if before == state then return {'moderated', before} end
if state == 'visible' then redis.call('HDEL', KEYS[1], 'state') else redis.call('HSET', KEYS[1], 'state', state) end
if state == 'removed' then
  free(ARGV[1], is[4], ARGV[2])
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('ZREM', KEYS[3], ARGV[2])
  redis.call('ZADD', KEYS[4], is[5], ARGV[2])
elseif before == 'removed' then
  redis.call('ZREM', KEYS[4], ARGV[2])
  redis.call('ZADD', KEYS[3], is[5], ARGV[2])
  rank(KEYS[1], ARGV[2], KEYS[2], tonumber(ARGV[4]))
end
return {'moderated', before}
