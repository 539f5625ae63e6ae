-- Ends a poll: releases the lease and the host, and sets the next due time, or the one requested during the poll.
-- KEYS 1 <feed_url>:meta  2 sched:due  3 sched:lease  4 host:<host> that was polled  5 <feed_url>:polls
--      6 sched:unwell  7 activity:<n> of now
-- ARGV 1 feed_url  2 lease token  3 next due time; '' for none  4 now
--      5 when the host may be polled again; '' for as before the claim; '-' if any number of polls of a host may run
--      6 line of the history; '' for none  7 maximum number of lines
--      8 how many entries the poll saved  9 number of field pairs, the pairs, then fields to delete
-- returns 1 done, 0 the lease is lost and nothing was written, or a failover lost some of the entries: then the source is due at
--      once, and its state is unchanged; -1 a key of the source holds another type: the lease and the host are released, the source
--      is due in 2 s, and nothing else was written
-- fragment count
-- fragment note_state
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return 0 end
if redis.pcall('HMGET', KEYS[1], 'saved').err or redis.pcall('LRANGE', KEYS[5], 0, 0).err then
  redis.call('HDEL', KEYS[3], ARGV[1])
  redis.call('ZADD', KEYS[2], 'XX', ARGV[4] + 2, ARGV[1])
  if redis.pcall('HGET', KEYS[4], 'busy') == ARGV[2] then redis.call('HDEL', KEYS[4], 'busy', 'until') end
  return -1
end
local due, line, lost = ARGV[3], ARGV[6], false
if ARGV[8] ~= '0' then
  local saved, by = (redis.call('HGET', KEYS[1], 'saved') or ''):match('^(%d+) (.*)$')
  redis.call('HDEL', KEYS[1], 'saved')
  lost = by ~= ARGV[2] or tonumber(saved) < tonumber(ARGV[8])
end
redis.call('HDEL', KEYS[3], ARGV[1])
if lost then
  due, line = ARGV[4], ''
else
  local last = 9 + 2 * tonumber(ARGV[9])
  if last > 9 then redis.call('HSET', KEYS[1], unpack(ARGV, 10, last)) end
  if #ARGV > last then redis.call('HDEL', KEYS[1], unpack(ARGV, last + 1)) end
end
local meta = redis.call('HMGET', KEYS[1], 'asked', 'next_reason')
if meta[1] then -- requested during the poll; 410 and Retry-After take precedence
  local at, why = meta[1]:match('^(%S+) (.*)$')
  redis.call('HDEL', KEYS[1], 'asked')
  if due ~= '' and tonumber(at) < tonumber(due) and meta[2] ~= 'Retry-After' then
    due = at
    redis.call('HSET', KEYS[1], 'next_poll', at, 'next_reason', why)
  end
end
if due ~= '' then
  redis.call('ZADD', KEYS[2], 'XX', due, ARGV[1]) -- a source that was paused meanwhile is not a member
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
note_state(KEYS[6], ARGV[1], KEYS[1])
if line ~= '' then
  if redis.call('LPUSH', KEYS[5], line) >= 1.2 * ARGV[7] then redis.call('LTRIM', KEYS[5], 0, ARGV[7] - 1) end -- not with each poll
  count(KEYS[7], 'polls', 1, 'failed', redis.call('HEXISTS', KEYS[1], 'error_class'))
end
if ARGV[5] == '-' then return lost and 0 or 1 end
local slots = redis.pcall('HMGET', KEYS[4], 'busy', 'next', 'tail')
if slots.err then return lost and 0 or 1 end -- the next claim reports it
if slots[1] == ARGV[2] then
  redis.call('HDEL', KEYS[4], 'busy', 'until')
  if ARGV[5] == '' then redis.call('HDEL', KEYS[4], 'next') end
end
if ARGV[5] ~= '' then
  local free = math.max(tonumber(ARGV[5]), tonumber(slots[2] or 0) or 0)
  redis.call('HSET', KEYS[4], 'next', string.format('%.3f', free))
  redis.call('PEXPIRE', KEYS[4], math.ceil(1000 * (math.max(free, tonumber(slots[3] or 0) or 0) - ARGV[4] + 1)))
end
return lost and 0 or 1
