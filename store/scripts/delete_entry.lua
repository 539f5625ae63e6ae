-- Deletes one entry: post.delete() of seed 001.
-- KEYS 1 Entry:<n>  2 <feed_url>:sort  3 <feed_url>:guidmap
-- ARGV 1 id
-- returns 1 deleted, 0 there was none
local guid = redis.call('HGET', KEYS[1], 'guid')
if not guid then return 0 end
if redis.call('HGET', KEYS[3], guid) == ARGV[1] then redis.call('HDEL', KEYS[3], guid) end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[1])
return 1
