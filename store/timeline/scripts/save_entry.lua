-- Saves an entry.
-- KEYS 1 user.saved:<user>
-- ARGV 1 number of the entry  2 now  3 how many entries a user may save
-- returns 1 saved, or was saved before; 0 the user has saved too many
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 1 end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
