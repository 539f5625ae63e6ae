-- Changes who sees news. Removed news is in neither list, and the URL of removed and rejected news is free.
-- fragment owned
-- fragment rank
-- KEYS 1 news:<n>  2 news.top  3 news.cron  4 news.unlisted  5 news.held
-- ARGV 1 prefix  2 <n>  3 visible, hidden, removed, held or rejected  4 now  5 why it is rejected, or empty: as before
--      6 seconds for which its URL leads to news that is held
-- returns {'missing' | 'removed' | 'offered' | 'new', ''}, or {'moderated', what it was}. 'new': approve_news.lua shows it to everyone
local is = redis.call('HMGET', KEYS[1], 'id', 'del', 'state', 'url', 'ctime', 'held', 'source')
if not is[1] then return {'missing', ''} end
if is[2] then return {'removed', ''} end
local before, state = is[3] or 'visible', ARGV[3]
if is[7] and (state == 'held' or state == 'rejected') then return {'offered', ''} end
if state == 'rejected' and ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'reason', ARGV[5]) end
if before == state then return {'moderated', before} end
if state == 'visible' and is[6] then return {'new', ''} end
if state == 'visible' then redis.call('HDEL', KEYS[1], 'state') else redis.call('HSET', KEYS[1], 'state', state) end
if state == 'held' then
  redis.call('ZADD', KEYS[5], ARGV[4], ARGV[2])
  lead(ARGV[1], is[4], ARGV[2], ARGV[6])
else
  redis.call('ZREM', KEYS[5], ARGV[2])
end
if state == 'removed' or state == 'rejected' then free(ARGV[1], is[4], ARGV[2]) end
if state == 'removed' then
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('ZREM', KEYS[3], ARGV[2])
  redis.call('ZADD', KEYS[4], is[5], ARGV[2])
elseif before == 'removed' and not is[6] then
  redis.call('ZREM', KEYS[4], ARGV[2])
  redis.call('ZADD', KEYS[3], is[5], ARGV[2])
  rank(KEYS[1], ARGV[2], KEYS[2], tonumber(ARGV[4]))
end
return {'moderated', before}
