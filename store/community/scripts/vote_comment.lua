-- Votes on a comment.
-- fragment seen
-- fragment put_comment
-- KEYS 1 news:<n>  2 thread:comment:<n>  3 voted.comments:<id>  4 community.banned
-- ARGV 1 number of the comment  2 <id> of the voter  3 up or down  4 now  5 <n>  6 how many votes a comment may have in a direction
-- returns {'banned' | 'missing' | 'removed' | 'full' | 'cast', ''}, or {'voted', up or down} if the voter has voted before
if redis.call('ZSCORE', KEYS[4], ARGV[2]) then return {'banned', ''} end
local text = ARGV[1] ~= 'nextid' and redis.call('HGET', KEYS[2], ARGV[1])
if not text then return {'missing', ''} end
local comment = cjson.decode(text)
local is = redis.call('HMGET', KEYS[1], 'del', 'state', 'user_id')
if comment.del or unseen(comment.state, string.format('%d', comment.user_id), ARGV[2]) or is[1] or unseen(is[2], is[3], ARGV[2]) then return {'removed', ''} end
for _, way in ipairs({'up', 'down'}) do
  for _, id in ipairs(comment[way] or {}) do
    if id == tonumber(ARGV[2]) then return {'voted', way} end
  end
end
local votes = comment[ARGV[3]] or {}
if #votes >= tonumber(ARGV[6]) then return {'full', ''} end
votes[#votes + 1] = tonumber(ARGV[2])
comment[ARGV[3]] = votes
put_comment(KEYS[1], KEYS[2], ARGV[1], comment)
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[5] .. '-' .. ARGV[1])
return {'cast', ''}
