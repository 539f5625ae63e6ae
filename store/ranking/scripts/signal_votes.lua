-- Signals the votes on articles, unless it did so a moment ago.
-- fragment count
-- KEYS 1 votes:unsignalled  2 votes:signalled  3 score:  4 signals  5 activity:<n> of now  6... article:<n> of each article
-- ARGV 1 now  2 seconds between two runs  3 beginning of the URL of the source of a member  4... for each article the member, "article:<n>", and 1 if
--      everyone sees it
-- returns how many signals it wrote
redis.call('XLEN', KEYS[4]) -- an error before the first change
local now, last = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[2]) or 0)
if now >= last and now < last + tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
local made = 0
for i = 6, #KEYS do
  local member, seen = ARGV[2 * i - 8], ARGV[2 * i - 7]
  local author, votes, up, anonymous = unpack(redis.call('HMGET', KEYS[i], 'author', 'votes', 'up', 'anonymous'))
  redis.call('HDEL', KEYS[i], 'unsignalled')
  if redis.call('ZREM', KEYS[1], member) == 1 and author and seen == '1' then
    up = up or 0
    redis.call('XADD', KEYS[4], '*', 'kind', 'entry_voted', 'feed_url', string.gsub(author, '^user:', ARGV[3]), 'time', ARGV[1],
      'entry', string.gsub(member, '^article:', 'Entry:'), 'score', redis.call('ZSCORE', KEYS[3], member), 'up', up, 'down', up - votes,
      'anonymous', anonymous or 0)
    made = made + 1
  end
end
count(KEYS[5], 'signals', made)
return made
