-- Adds a member to those who reported news or a comment, once. Beyond the bound a report changes nothing.
-- KEYS 1 news:<n>  2 thread:comment:<n>  3 reports  4 reports:<object>  5 user.reports:<id>  6 community.banned
-- ARGV 1 <object>  2 number of the comment; 0: the news  3 <id> of the member  4 now  5 the reason  6 how many reports of an object are stored
--      7 how many reports a member may make in an hour  8 seconds for which reports are stored
-- returns 'banned', 'missing', 'removed', 'own', 'often' or 'reported'
if redis.call('ZSCORE', KEYS[6], ARGV[3]) then return 'banned' end
local is, author = redis.call('HMGET', KEYS[1], 'id', 'del', 'user_id', 'state'), nil
if not is[1] then return 'missing' end
if is[2] or is[4] then return 'removed' end
if ARGV[2] == '0' then
  author = is[3]
else
  local text = redis.call('HGET', KEYS[2], ARGV[2])
  if not text then return 'missing' end
  local comment = cjson.decode(text)
  if comment.del or comment.state then return 'removed' end
  author = string.format('%d', comment.user_id)
end
if author == ARGV[3] then return 'own' end
if redis.call('HEXISTS', KEYS[4], ARGV[3]) == 1 then return 'reported' end
local old = '(' .. (ARGV[4] - ARGV[8])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', old)
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', old)
if redis.call('ZCOUNT', KEYS[5], '(' .. (ARGV[4] - 3600), '+inf') >= tonumber(ARGV[7]) then return 'often' end
if redis.call('HLEN', KEYS[4]) >= tonumber(ARGV[6]) then return 'reported' end
redis.call('HSET', KEYS[4], ARGV[3], ARGV[4] .. ' ' .. ARGV[5])
redis.call('EXPIRE', KEYS[4], ARGV[8])
redis.call('ZADD', KEYS[5], ARGV[4], ARGV[1])
redis.call('EXPIRE', KEYS[5], ARGV[8])
redis.call('ZADD', KEYS[3], 'NX', ARGV[4], ARGV[1])
return 'reported'
