-- Takes an entry down: deletes it, keeps its names so that it is not created again, and appends the signal.
-- KEYS 1 Entry:<n>  2 <feed_url>:sort  3 <feed_url>:guidmap  4 <feed_url>:alias  5 <feed_url>:takedowns  6 <feed_url>:deleted
--      7 signals  8 activity:<n> of now  9 <feed_url>:saved
-- ARGV 1 id  2 feed_url  3 now  4 the most names in <feed_url>:takedowns  5 the most guids in <feed_url>:deleted
--      6 a name from its texts, or empty; then for each name from a link: the alias of the link and the name
-- returns 1 taken down, 0 there is no such entry
-- fragment count
for i, check in ipairs({'HLEN', 'ZCARD', 'HLEN', 'HLEN', 'ZCARD', 'ZCARD', 'XLEN'}) do redis.call(check, KEYS[i]) end
redis.call('ZCARD', KEYS[9])
local id, url, now = ARGV[1], ARGV[2], ARGV[3]
local stored = redis.call('HMGET', KEYS[1], 'guid', 'aliases', 'hidden')
local guid = stored[1]
if not guid then return 0 end
if redis.call('HGET', KEYS[3], guid) == id then redis.call('HDEL', KEYS[3], guid) end
redis.call('ZADD', KEYS[5], now, guid)
if ARGV[6] ~= '' then redis.call('ZADD', KEYS[5], now, ARGV[6]) end
for i = 7, #ARGV, 2 do -- unless other entries have the link
  if redis.call('HGET', KEYS[4], ARGV[i]) == id then redis.call('ZADD', KEYS[5], now, ARGV[i + 1]) end
end
for alias in (stored[2] or ''):gmatch('%S+') do
  if redis.call('HGET', KEYS[4], alias) == id then
    redis.call('HDEL', KEYS[4], alias)
    if alias:sub(1, 2) ~= 'l:' then redis.call('ZADD', KEYS[5], now, alias) end
  end
end
redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -1 - ARGV[4])
redis.call('ZREM', KEYS[2], id)
redis.call('ZREMRANGEBYLEX', KEYS[9], '[' .. id .. ' ', '(' .. id .. '!')
redis.call('UNLINK', KEYS[1])
if stored[3] == 'held' then return 1 end -- no one knows it
redis.call('ZADD', KEYS[6], now, guid)
redis.call('ZREMRANGEBYRANK', KEYS[6], 0, -1 - ARGV[5])
redis.call('XADD', KEYS[7], '*', 'kind', 'post_deleted', 'feed_url', url, 'time', now, 'guid', guid, 'entry', id)
count(KEYS[8], 'signals', 1)
return 1
