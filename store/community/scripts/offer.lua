-- Makes an entry of a source news without author, or brings its title and URL in line with the entry. Votes on the article count as votes on
-- the news.
-- fragment groups
-- fragment article
-- fragment owned
-- fragment rank
-- KEYS 7 news:<n>  8 news.up:<n>  9 news.down:<n>  10 news.top  11 news.cron  12 url:<url>
-- ARGV 11 <n>  12 URL of the source  13 title  14 URL  15 seconds for which the URL leads to the news
-- returns 1
local news, n = KEYS[7], ARGV[11]
local is = redis.call('HMGET', news, 'id', 'source', 'del', 'url')
if is[1] then
  if not is[2] or is[3] then return 1 end
  if is[4] ~= ARGV[14] then
    free(prefix, is[4], n)
    redis.call('SET', KEYS[12], n, 'NX', 'EX', ARGV[15])
  end
  redis.call('HSET', news, 'title', ARGV[13], 'url', ARGV[14])
  return 1
end
if removed() then return 1 end
create()
redis.call('HSET', article, 'news', 1)
for i, set in ipairs({up, down}) do
  for _, voter in ipairs(redis.call('SMEMBERS', set)) do
    local id = string.sub(voter, #'user:' + 1)
    redis.call('ZADD', KEYS[7 + i], now, id)
    redis.call('ZADD', prefix .. 'voted.news:' .. id, now, n)
  end
end
redis.call('HSET', news, 'id', n, 'title', ARGV[13], 'url', ARGV[14], 'user_id', 0, 'source', ARGV[12], 'ctime', ARGV[7], 'comments', 0,
  'up', redis.call('ZCARD', KEYS[8]), 'down', redis.call('ZCARD', KEYS[9]))
redis.call('ZADD', KEYS[11], ARGV[7], n)
rank(news, n, KEYS[10], now)
redis.call('SET', KEYS[12], n, 'NX', 'EX', ARGV[15])
return 1
