-- Marks the replies to the comments of a member as read.
-- KEYS 1 user:<id>
-- ARGV 1 now
if redis.call('HEXISTS', KEYS[1], 'id') == 0 then return end
redis.call('HDEL', KEYS[1], 'replies')
redis.call('HSET', KEYS[1], 'replies_seen', ARGV[1])
