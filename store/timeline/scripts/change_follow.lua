-- Replaces a follow unless it has changed since it was read.
-- KEYS 1 user.follows:<user>
-- ARGV 1 feed_url  2 follow as it was read  3 follow
-- returns 1 replaced, 0 it has changed
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored ~= ARGV[2] and stored ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
