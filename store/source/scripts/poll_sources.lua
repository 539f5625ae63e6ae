-- Makes sources due one after the other in the given order, each at the earliest when it may be polled again. It does not change
-- sources that are paused, gone, due sooner or being polled. It is safe to repeat.
-- KEYS 1 sched:due  2 sched:lease, then <feed_url>:meta of each source
-- ARGV 1 now  2 seconds from one poll to the next  3 number of sources before these, then the feed_url of each
-- returns how many of them are not paused or gone
local planned, leases = redis.call('ZMSCORE', KEYS[1], unpack(ARGV, 4)), redis.call('HMGET', KEYS[2], unpack(ARGV, 4))
local due, moved = 0, {} -- arguments of ZADD
for i = 3, #KEYS do
  local meta = redis.pcall('HMGET', KEYS[i], 'added', 'paused', 'gone', 'last_poll')
  if meta[1] and meta[2] ~= '1' and meta[3] ~= '1' then
    due = due + 1
    local at = math.max(ARGV[1] + (ARGV[3] + i) / 1000000, (meta[4] or 0) + ARGV[2])
    if not leases[i - 2] and (not planned[i - 2] or tonumber(planned[i - 2]) > at) then
      moved[#moved + 1] = string.format('%.6f', at)
      moved[#moved + 1] = ARGV[i + 1]
      redis.call('HSET', KEYS[i], 'next_poll', string.format('%.3f', at), 'next_reason', 'requested')
    end
  end
end
if #moved > 0 then redis.call('ZADD', KEYS[1], unpack(moved)) end
return due
