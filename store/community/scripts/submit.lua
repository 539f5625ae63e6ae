-- Makes an entry news with the upvote of its author, in both vote stores. Held news is in neither list and has no article until approve_news.lua.
-- fragment groups
-- fragment article
-- fragment rank
-- fragment publish
-- fragment seen
-- KEYS 7 news:<n>  8 news.up:<n>  9 news.top  10 news.cron  11 user:<id>:submitted_recently  12 voted.news:<id>  13 url:<url>
--      14 community.banned  15 news.held  16 news.unlisted
-- ARGV 11 <n>  12 <id> of the author  13 title  14 URL, or text:// and the text  15 seconds for which the URL leads to the news; 0: it is a text
--      16 seconds until the author submits again; 0: at once  17 1: it is held
-- returns {'submitted' | 'removed' | 'banned', 0}; {'duplicate', number of the first news} or {'recently', seconds to wait}
local news, n, user = KEYS[7], ARGV[11], ARGV[12]
if redis.call('EXISTS', news) == 1 then return {'submitted', 0} end
if redis.call('ZSCORE', KEYS[14], user) then return {'banned', 0} end
if removed() then return {'removed', 0} end
local first = ARGV[15] ~= '0' and redis.call('GET', KEYS[13])
if first then
  local is = redis.call('HMGET', prefix .. 'news:' .. first, 'state', 'user_id')
  if not unseen(is[1], is[2], user) then return {'duplicate', tonumber(first)} end
end
local wait = redis.call('TTL', KEYS[11])
if ARGV[16] ~= '0' and wait ~= -2 then return {'recently', math.max(1, wait)} end
redis.call('HSET', news, 'id', n, 'title', ARGV[13], 'url', ARGV[14], 'user_id', user, 'ctime', ARGV[6], 'up', 1, 'down', 0, 'comments', 0)
redis.call('ZADD', KEYS[8], ARGV[6], user)
redis.call('ZADD', KEYS[12], ARGV[6], n)
if ARGV[17] == '1' then
  redis.call('HSET', news, 'state', 'held', 'held', 1)
  redis.call('ZADD', KEYS[15], ARGV[6], n)
  redis.call('ZADD', KEYS[16], ARGV[6], n)
else
  publish(news, n, user, KEYS[9], KEYS[10])
end
if ARGV[15] ~= '0' then redis.call('SET', KEYS[13], n, 'EX', ARGV[15]) end
if ARGV[16] ~= '0' then redis.call('SET', KEYS[11], 1, 'EX', ARGV[16]) end
return {'submitted', 0}
