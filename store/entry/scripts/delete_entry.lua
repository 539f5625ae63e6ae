-- Deletes one entry.
-- KEYS 1 Entry:<n>  2 <feed_url>:sort  3 <feed_url>:guidmap  4 <feed_url>:alias
-- ARGV 1 id
-- returns 1 deleted, 0 there is no such entry
local known = redis.call('HMGET', KEYS[1], 'guid', 'aliases')
if not known[1] then return 0 end
if redis.call('HGET', KEYS[3], known[1]) == ARGV[1] then redis.call('HDEL', KEYS[3], known[1]) end
for alias in (known[2] or ''):gmatch('%S+') do
  if redis.call('HGET', KEYS[4], alias) == ARGV[1] then redis.call('HDEL', KEYS[4], alias) end
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[1])
return 1
