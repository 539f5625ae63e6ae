-- Shows news to everyone that no one but its author has seen, as if it were submitted now.
-- fragment groups
-- fragment article
-- fragment owned
-- fragment rank
-- fragment publish
-- KEYS 7 news:<n>  8 news.top  9 news.cron  10 news.held  11 news.unlisted
-- ARGV 11 <n>  12 seconds for which the URL leads to the news
-- returns {'missing' | 'removed', ''}, or {'moderated', what it was}
local news, n = KEYS[7], ARGV[11]
local is = redis.call('HMGET', news, 'id', 'del', 'state', 'user_id', 'held', 'url')
if not is[1] then return {'missing', ''} end
if is[2] or removed() then return {'removed', ''} end
if not is[5] then return {'moderated', is[3] or 'visible'} end
redis.call('HDEL', news, 'state', 'held')
redis.call('HSET', news, 'ctime', ARGV[6])
redis.call('ZREM', KEYS[10], n)
redis.call('ZREM', KEYS[11], n)
publish(news, n, is[4], KEYS[8], KEYS[9])
lead(prefix, is[6], n, ARGV[12])
return {'moderated', is[3]}
