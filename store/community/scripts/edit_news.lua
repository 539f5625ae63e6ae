-- Changes title and URL of news, which can wait for a moderator from then on.
-- fragment owned
-- fragment seen
-- KEYS 1 news:<n>  2 url:<url> of the new URL  3 community.banned  4 news.held
-- ARGV 1 prefix  2 <n>  3 <id> of the account that edits  4 1: it may edit all news at any time  5 now  6 seconds in which an author edits
--      7 title  8 URL, or text:// and the text  9 seconds for which the URL leads to the news; 0: it is a text  10 1: hold it
-- returns {'banned' | 'missing' | 'owner' | 'closed' | 'removed' | 'rejected' | 'edited', 0} or {'duplicate', number of the first news}
if redis.call('ZSCORE', KEYS[3], ARGV[3]) then return {'banned', 0} end
local why = refused(KEYS[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
if why then return {why, 0} end
if redis.call('HEXISTS', KEYS[1], 'source') == 1 then return {'owner', 0} end
local is = redis.call('HMGET', KEYS[1], 'url', 'del', 'state')
if is[2] or is[3] == 'removed' then return {'removed', 0} end
if is[3] == 'rejected' then return {'rejected', 0} end
if is[1] ~= ARGV[8] then
  local first = ARGV[9] ~= '0' and redis.call('GET', KEYS[2])
  if first and first ~= ARGV[2] then
    local other = redis.call('HMGET', ARGV[1] .. 'news:' .. first, 'state', 'user_id')
    if not unseen(other[1], other[2], ARGV[3]) then return {'duplicate', tonumber(first)} end
  end
  free(ARGV[1], is[1], ARGV[2])
  if ARGV[9] ~= '0' then redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[9]) end
end
redis.call('HSET', KEYS[1], 'title', ARGV[7], 'url', ARGV[8])
if ARGV[10] == '1' and not is[3] then
  redis.call('HSET', KEYS[1], 'state', 'held')
  redis.call('ZADD', KEYS[4], ARGV[5], ARGV[2])
end
return {'edited', 0}
