-- Removes a member from those who voted on news. The vote no longer counts. News that the member submitted is deleted with title, URL and
-- author.
-- fragment owned
-- fragment rank
-- KEYS 1 news:<n>  2 news.up:<n>  3 news.down:<n>  4 news.top  5 news.cron  6 voted.news:<id>
-- ARGV 1 prefix  2 <n>  3 <id> of the member  4 now
-- returns 1
for i, counter in ipairs({'up', 'down'}) do
  if redis.call('ZREM', KEYS[i + 1], ARGV[3]) == 1 then redis.call('HINCRBY', KEYS[1], counter, -1) end
end
if redis.call('HGET', KEYS[1], 'user_id') == ARGV[3] then
  delete(ARGV[1], KEYS[1], ARGV[2], KEYS[4], KEYS[5])
  redis.call('HSET', KEYS[1], 'title', '', 'url', '', 'user_id', 0)
end
rank(KEYS[1], ARGV[2], KEYS[4], tonumber(ARGV[4]))
redis.call('ZREM', KEYS[6], ARGV[2])
return 1
