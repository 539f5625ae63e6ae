-- Replaces a ranking.
-- KEYS 1 rank:<name>  2 time:
-- ARGV pairs of a rank and a member. Members that are no longer articles are left out.
-- returns how many members it has
redis.call('DEL', KEYS[1])
local count = 0
for i = 1, #ARGV, 2 do
  if redis.call('ZSCORE', KEYS[2], ARGV[i + 1]) then
    redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1])
    count = count + 1
  end
end
return count
