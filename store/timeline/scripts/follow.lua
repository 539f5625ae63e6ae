-- Makes a user follow a source.
-- KEYS 1 user.follows:<user>  2 feed:user:<user>  3 feed:user:<user>:warm
-- ARGV 1 feed_url  2 follow as JSON  3 how many sources a user may follow
-- returns 1 followed, 0 was followed before, -1 too many follows
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('UNLINK', KEYS[2], KEYS[3])
return 1
