-- Claims one source before it is due, because a person requested it.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 sched:lease  5 host:<host>
-- ARGV 1 source id  2 feed_url  3 now  4 end of the lease  5 token  6 seconds between two polls at one host; 0: any
--      number at a time  7 seconds from one poll to the next
-- returns '' no such source, 'paused', 'busy': a poll of it or its host is under way, 'wait <time>': not before then, or
--      'due <time>': claimed, and when it was due ('' for never)
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return '' end
local meta = redis.call('HMGET', KEYS[2], 'paused', 'last_poll')
if meta[1] == '1' then return 'paused' end
local now, delay, due = tonumber(ARGV[3]), tonumber(ARGV[6]), redis.call('ZSCORE', KEYS[3], ARGV[2])
if redis.call('HEXISTS', KEYS[4], ARGV[2]) == 1 and due and tonumber(due) > now then return 'busy' end
local from = tonumber(meta[2] or 0) + ARGV[7]
if delay > 0 then
  local slots = redis.call('HMGET', KEYS[5], 'until', 'next')
  if tonumber(slots[1] or 0) > now then return 'busy' end
  from = math.max(from, tonumber(slots[2] or 0))
end
if from > now then return 'wait ' .. string.format('%.3f', from) end
if delay > 0 then
  redis.call('HSET', KEYS[5], 'busy', ARGV[5], 'until', ARGV[4], 'next', string.format('%.3f', now + delay))
  local left = math.ceil(1000 * (ARGV[4] - now + delay))
  if redis.call('PTTL', KEYS[5]) < left then redis.call('PEXPIRE', KEYS[5], left) end
end
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[2])
redis.call('HSET', KEYS[4], ARGV[2], ARGV[5])
return 'due ' .. (due or '')
