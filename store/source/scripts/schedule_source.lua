-- Pauses a source, resumes it, or makes it due: now, or some time after its last poll. A poll under way continues, and another poll
-- follows it. A ping comes from the hub of the source: 410 and Retry-After from its server take precedence.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 sched:lease  5 sched:unwell
-- ARGV 1 source id  2 feed_url  3 now  4 'pause' | 'remove' | 'resume' | 'poll' | 'poll in full' | 'ping'  5 seconds from one poll to the next
--      6 the same after a poll that failed  7 why, shown to people  8 revision of the settings, 0 for any
-- returns 1 done, 0 no such source, -1 paused: cannot be polled, -2 the settings have another revision
-- fragment note_state
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[8] ~= '0' and (redis.call('HGET', KEYS[2], 'edition') or '0') ~= ARGV[8] then return -2 end
if ARGV[4] == 'pause' or ARGV[4] == 'remove' then -- a source stays paused if its removal is interrupted
  if redis.call('HGET', KEYS[2], 'paused') ~= '1' then redis.call('HINCRBY', KEYS[2], 'edition', 1) end
  redis.call('HSET', KEYS[2], 'paused', '1')
  redis.call('ZREM', KEYS[3], ARGV[2])
  note_state(KEYS[5], ARGV[2], read_state(KEYS[2]))
  return 1
end
local paused = redis.call('HGET', KEYS[2], 'paused') == '1'
if paused and ARGV[4] ~= 'resume' then return -1 end
if ARGV[4] == 'resume' and not paused then return 1 end
if ARGV[4] == 'poll in full' then redis.call('HSET', KEYS[2], 'full_asked', '1') end
if ARGV[4] == 'resume' then redis.call('HINCRBY', KEYS[2], 'edition', 1) end
local meta, planned = redis.call('HMGET', KEYS[2], 'last_poll', 'errors', 'next_reason'), redis.call('ZSCORE', KEYS[3], ARGV[2])
if ARGV[4] == 'ping' and (not planned or meta[3] == 'Retry-After') then return 1 end
redis.call('HDEL', KEYS[2], 'paused', 'gone', 'gone_since')
note_state(KEYS[5], ARGV[2], read_state(KEYS[2]))
if redis.call('HEXISTS', KEYS[4], ARGV[2]) == 1 then
  if ARGV[4] == 'resume' then
    -- The pause removed the end of the lease. This replaces it, in case the daemon that polls is killed.
    redis.call('ZADD', KEYS[3], 'NX', ARGV[3] + 300, ARGV[2])
  else
    -- The poll may have read the document before. Its end makes the source due again.
    redis.call('HSET', KEYS[2], 'asked', string.format('%.3f ', ARGV[3] + ARGV[5]) .. ARGV[7])
  end
  return 1
end
local due = math.max(tonumber(ARGV[3]), tonumber(meta[1] or 0) + (meta[2] and ARGV[6] or ARGV[5]))
if not planned or tonumber(planned) > due then
  due = string.format('%.3f', due)
  redis.call('ZADD', KEYS[3], due, ARGV[2])
  redis.call('HSET', KEYS[2], 'next_poll', due, 'next_reason', ARGV[7])
end
return 1
