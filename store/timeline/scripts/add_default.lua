-- Adds a source to the default follows.
-- KEYS 1 follows.default
-- ARGV 1 feed_url  2 how many there may be
-- returns 1 added or there before, 0 too many
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
return redis.call('SADD', KEYS[1], ARGV[1])
