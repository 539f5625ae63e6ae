-- Sets the vote of a user on an entry, which becomes an article.
-- fragment groups
-- fragment article
-- ARGV 11 id of the user  12 up, down or none
-- returns {'removed' | 'closed'}, or {'open', score, votes, upvotes}
if removed() then return {'removed'} end
if now > posted() + window then return {'closed'} end
create()
cast(ARGV[11], ARGV[12])
local counts = redis.call('HMGET', article, 'votes', 'up')
return {'open', redis.call('ZSCORE', scores, member), counts[1], counts[2] or '0'}
