-- Makes an entry stay for a user.
-- KEYS 1 Entry:<n>  2 <feed_url>:saved
-- ARGV 1 id of the entry  2 id of the user
-- returns 1, 0 there is no such entry
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('ZADD', KEYS[2], 0, ARGV[1] .. ' ' .. ARGV[2])
return 1
