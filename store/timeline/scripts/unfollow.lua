-- Ends a follow.
-- KEYS 1 user.follows:<user>  2 feed:user:<user>  3 feed:user:<user>:warm
-- ARGV 1 feed_url
-- returns 1 ended, 0 there was none
local ended = redis.call('HDEL', KEYS[1], ARGV[1])
if ended == 1 then redis.call('UNLINK', KEYS[2], KEYS[3]) end
return ended
