-- Adds an entry to a group. It becomes an article.
-- fragment groups
-- fragment article
-- KEYS 7 group:<name>  8 score:<name>  9 score:<name>:empty  10 groups
-- ARGV 11 name of the group  12 how many groups there may be  13 how many groups an article may have
-- returns 'removed', 'groups' or 'groups of the article' if there are too many, or 'added'
local name = ARGV[11]
if removed() then return 'removed' end
if redis.call('SISMEMBER', KEYS[10], name) == 0 and redis.call('SCARD', KEYS[10]) >= tonumber(ARGV[12]) then return 'groups' end
local all = groups_of(article)
if redis.call('SISMEMBER', KEYS[7], member) == 1 then return 'added' end
if #all >= tonumber(ARGV[13]) then return 'groups of the article' end
create()
all[#all + 1] = name
redis.call('HSET', article, 'groups', table.concat(all, ','))
redis.call('SADD', KEYS[7], member)
redis.call('SADD', KEYS[10], name)
redis.call('UNLINK', KEYS[9])
if redis.call('EXISTS', KEYS[8]) == 1 then redis.call('ZADD', KEYS[8], redis.call('ZSCORE', scores, member), member) end
return 'added'
