-- publish adds news to both lists, and makes its entry an article with the upvote of the author.
local function publish(news, n, user, top, cron)
  create()
  for _, set in ipairs({up, down}) do -- by others, before the entry was news
    for _, voter in ipairs(redis.call('SMEMBERS', set)) do cast(string.sub(voter, #'user:' + 1), 'none') end
  end
  cast(user, 'up')
  redis.call('HSET', article, 'news', 1)
  redis.call('ZADD', cron, ARGV[6], n)
  rank(news, n, top, now)
end
