-- Removes a user from those who voted on an article. The vote no longer counts if voting is open.
-- fragment groups
-- fragment article
-- ARGV 11 id of the user
-- returns 1
if redis.call('HEXISTS', article, 'time') == 1 and now <= posted() + window and cast(ARGV[11], 'none') then signal_later() end
redis.call('SREM', up, 'user:' .. ARGV[11])
redis.call('SREM', down, 'user:' .. ARGV[11])
redis.call('ZREM', prefix .. 'voted:' .. ARGV[11], member)
return 1
