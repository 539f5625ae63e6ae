-- Makes due what a daemon had claimed when it was killed, or in a call whose answer it never got.
-- KEYS 1 sched:due  2 sched:lease
-- ARGV 1 start of the tokens  2 now
-- returns the number of sources
local leases, n = redis.call('HGETALL', KEYS[2]), 0
for i = 1, #leases, 2 do
  if leases[i + 1]:sub(1, #ARGV[1]) == ARGV[1] then
    redis.call('HDEL', KEYS[2], leases[i])
    redis.call('ZADD', KEYS[1], ARGV[2], leases[i])
    n = n + 1
  end
end
return n
