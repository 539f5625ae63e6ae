-- Makes an entry no longer stay for a user. Deletes it if it has expired and stayed for this user only.
-- KEYS 1 Entry:<n>  2 <feed_url>:saved
-- ARGV 1 id of the entry  2 id of the user
redis.call('ZREM', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
local others = redis.call('ZRANGEBYLEX', KEYS[2], '[' .. ARGV[1] .. ' ', '(' .. ARGV[1] .. '!', 'LIMIT', 0, 1)
if #others == 0 and redis.call('HEXISTS', KEYS[1], 'expired_at') == 1 then redis.call('UNLINK', KEYS[1]) end
return 1
