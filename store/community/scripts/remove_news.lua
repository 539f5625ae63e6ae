-- Deletes the news of an entry that no longer exists. News that a member submitted stays without its text; what was offered of a source
-- goes with its thread.
-- fragment owned
-- KEYS 1 news:<n>  2 news.top  3 news.cron  4 news.up:<n>  5 news.down:<n>  6 thread:comment:<n>
-- ARGV 1 prefix  2 <n>
-- returns 1
local is = redis.call('HMGET', KEYS[1], 'id', 'source')
if not is[1] then return 1 end
delete(ARGV[1], KEYS[1], ARGV[2], KEYS[2], KEYS[3])
if is[2] then
  redis.call('UNLINK', KEYS[1], KEYS[4], KEYS[5], KEYS[6])
  redis.call('ZREM', ARGV[1] .. 'news.unlisted', ARGV[2])
end
return 1
