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
local due, line, saved, lost = ARGV[3], ARGV[6], redis.pcall('HGET', KEYS[1], 'saved'), false
local damaged = type(saved) == 'table'
if ARGV[8] ~= '0' and not damaged then
  local number, by = (saved or ''):match('^(%d+) (.*)$')
  lost = by ~= ARGV[2] or tonumber(number) < tonumber(ARGV[8])
end
if lost then due, line = ARGV[4], '' end
redis.call('HDEL', KEYS[3], ARGV[1])
local lines = 0 -- of the history
if not damaged then
  lines = line ~= '' and redis.pcall('LPUSH', KEYS[5], line) or redis.pcall('LLEN', KEYS[5])
  damaged = type(lines) == 'table'
end
if damaged then
  redis.call('ZADD', KEYS[2], 'XX', ARGV[4] + 2, ARGV[1])
  if redis.pcall('HGET', KEYS[4], 'busy') == ARGV[2] then redis.call('HDEL', KEYS[4], 'busy', 'until') end
  return -1
end
if ARGV[8] ~= '0' then redis.call('HDEL', KEYS[1], 'saved') end
if not lost then
  local last = 9 + 2 * tonumber(ARGV[9])
  if last > 9 then redis.call('HSET', KEYS[1], unpack(ARGV, 10, last)) end
  if #ARGV > last then redis.call('HDEL', KEYS[1], unpack(ARGV, last + 1)) end
end
local is = read_state(KEYS[1], 'asked', 'next_reason')
note_state(KEYS[6], ARGV[1], is)
if is[5] then -- requested during the poll; 410 and Retry-After take precedence
  local at, why = is[5]:match('^(%S+) (.*)$')
  redis.call('HDEL', KEYS[1], 'asked')
  if due ~= '' and tonumber(at) < tonumber(due) and is[6] ~= 'Retry-After' then
    due = at
    redis.call('HSET', KEYS[1], 'next_poll', at, 'next_reason', why)
  end
end
if due ~= '' then
  redis.call('ZADD', KEYS[2], 'XX', due, ARGV[1]) -- a source that was paused meanwhile is not a member
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
if line ~= '' then
  if lines >= 1.2 * ARGV[7] then redis.call('LTRIM', KEYS[5], 0, ARGV[7] - 1) end -- not with each poll
  local failed = is[3] -- its error_class
  count(KEYS[7], 'polls', 1, 'failed', failed and 1 or 0)
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
