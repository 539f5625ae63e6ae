-- Sets the vote of a user on an entry, which becomes an article unless there is no vote to take back.
-- fragment groups
-- fragment article
-- ARGV 11 id of the user  12 up, down or none
-- returns {'removed' | 'closed' | 'news'}, or {'open', score, votes, upvotes}
if removed() then return {'removed'} end
if now > posted() + window then return {'closed'} end
if redis.call('HEXISTS', article, 'news') == 1 then return {'news'} end
-- The author of a post takes back the upvote with which it becomes an article.
if ARGV[12] == 'none' and redis.call('EXISTS', article) == 0 and ARGV[10] ~= 'user:' .. ARGV[11] then return {'open', posted(), '0', '0'} end
create()
cast(ARGV[11], ARGV[12])
local counts = redis.call('HMGET', article, 'votes', 'up')
return {'open', redis.call('ZSCORE', scores, member), counts[1], counts[2] or '0'}
