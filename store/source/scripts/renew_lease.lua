-- Extends the lease of a poll, and its reservation of the host.
-- KEYS 1 sched:due  2 sched:lease  3 host:<host> that is polled
-- ARGV 1 feed_url  2 lease token  3 new end of the lease  4 now
-- returns 1 done, 0 the lease is lost
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[1], 'XX', ARGV[3], ARGV[1]) -- a source that was paused meanwhile is not a member
if redis.pcall('HGET', KEYS[3], 'busy') == ARGV[2] then
  redis.call('HSET', KEYS[3], 'until', ARGV[3])
  local left = math.ceil(1000 * (ARGV[3] - ARGV[4] + 1))
  if redis.call('PTTL', KEYS[3]) < left then redis.call('PEXPIRE', KEYS[3], left) end
end
return 1
