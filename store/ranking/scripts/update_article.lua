-- Stores the title and the link of an entry that was edited, if it is an article.
-- fragment groups
-- fragment article
if redis.call('HEXISTS', article, 'title') == 1 then redis.call('HSET', article, 'title', ARGV[8], 'link', ARGV[9]) end
return 1
