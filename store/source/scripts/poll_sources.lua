-- Makes sources due one after the other in the given order, each at the earliest when it may be polled again. It does not change
-- sources that are paused, gone, due sooner or being polled. It is safe to repeat.
-- KEYS 1 sched:due  2 sched:lease, then <feed_url>:meta of each source
-- ARGV 1 now  2 seconds from one poll to the next  3 number of sources before these, then the feed_url of each
-- returns how many of them are not paused or gone
local due = 0
for i = 3, #KEYS do
  local url, meta = ARGV[i + 1], redis.pcall('HMGET', KEYS[i], 'added', 'paused', 'gone', 'last_poll')
  if meta[1] and meta[2] ~= '1' and meta[3] ~= '1' then
    due = due + 1
    local at = math.max(ARGV[1] + (ARGV[3] + i) / 1000000, (meta[4] or 0) + ARGV[2])
    local planned = redis.call('ZSCORE', KEYS[1], url)
    if redis.call('HEXISTS', KEYS[2], url) == 0 and (not planned or tonumber(planned) > at) then
      redis.call('ZADD', KEYS[1], string.format('%.6f', at), url)
      redis.call('HSET', KEYS[i], 'next_poll', string.format('%.3f', at), 'next_reason', 'requested')
    end
  end
end
return due
