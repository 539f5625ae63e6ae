-- Puts a hidden entry back into the lists of its source. One that was held is new, and one that was edited meanwhile is signalled.
-- fragment count
-- KEYS 1 Entry:<n>  2 <feed_url>:sort  3 signals  4 activity:<n> of now
-- ARGV 1 id  2 now  3 timestamp of an entry that is new
-- returns 1, 0 there is no such entry
redis.call('ZCARD', KEYS[2]) -- before anything is written
redis.call('XLEN', KEYS[3])
local is = redis.call('HMGET', KEYS[1], 'guid', 'timestamp', 'hidden', 'expired_at', 'feed_url', 'digest', 'date_published', 'date_updated')
local guid, at, hidden = is[1], is[2], is[3]
if not guid then return 0 end
if not hidden then return 1 end
if hidden == 'held' then
  at = ARGV[3]
  redis.call('HSET', KEYS[1], 'timestamp', at)
  if is[7] then redis.call('HSET', KEYS[1], 'date_published', at) end
  if is[8] then redis.call('HDEL', KEYS[1], 'date_updated') end
end
redis.call('HDEL', KEYS[1], 'hidden')
if is[4] then return 1 end
redis.call('ZADD', KEYS[2], at, ARGV[1])
local kind = hidden == 'held' and 'post_created' or hidden == 'edited' and 'post_modified'
if kind then
  redis.call('XADD', KEYS[3], '*', 'kind', kind, 'feed_url', is[5], 'time', ARGV[2], 'guid', guid, 'entry', ARGV[1], 'digest', is[6] or '')
  count(KEYS[4], 'signals', 1)
end
return 1
