-- Plans sources again that the schedule has lost, because a key of it was damaged, at the time that their meta names. It is safe to
-- repeat.
-- KEYS 1 sched:due  2 sched:lease, then <feed_url>:meta of each source
-- ARGV 1 now, then feed_url of each
-- returns how many it planned
local planned = 0
for i = 3, #KEYS do
  local url, meta = ARGV[i - 1], redis.pcall('HMGET', KEYS[i], 'paused', 'gone', 'next_poll')
  if meta.err then meta = {} end -- its claim reports it
  if meta[1] ~= '1' and meta[2] ~= '1' and redis.call('HEXISTS', KEYS[2], url) == 0 then
    local at, due = tonumber(meta[3] or ARGV[1]) or tonumber(ARGV[1]), redis.call('ZSCORE', KEYS[1], url)
    if not due or tonumber(due) > at then
      redis.call('ZADD', KEYS[1], string.format('%.3f', at), url)
      planned = planned + 1
    end
  end
end
return planned
