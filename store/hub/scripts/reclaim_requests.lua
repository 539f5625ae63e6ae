-- Makes the requests due now that a daemon had claimed when it was killed. A request whose due time is not the end of that claim
-- was updated since, and stays as it is.
-- KEYS 1 hub:verify  2 hub:asking:<id>
-- ARGV 1 now
-- returns how many there were
local claims, n = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'), 0
for i = 1, #claims, 2 do
  if tonumber(redis.call('ZSCORE', KEYS[1], claims[i]) or 0) == tonumber(claims[i + 1]) then
    redis.call('ZADD', KEYS[1], ARGV[1], claims[i])
    n = n + 1
  end
end
redis.call('DEL', KEYS[2])
return n
