-- Claims due sources. A claim that is not finished makes the source due again when the lease ends. A source whose host
-- is busy, or wants to be left alone, goes to the end of that host's queue: its due time moves there.
-- KEYS 1 sched:due  2 sched:lease
-- ARGV 1 now  2 most  3 end of the lease  4 token base, unique to this call  5 key prefix
--      6 seconds between two polls at one host; 0: hosts are not looked at
-- returns feed_url, due time, token of each, oldest due first
local now, most, ends, prefix, delay = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[5], tonumber(ARGV[6])

-- queue takes the host of a source for this poll, or returns when it is the turn of the source.
local function queue(url, token)
  local meta = prefix .. url .. ':meta'
  local host = redis.call('HGET', meta, 'host')
  if not host or host == '' then return nil end -- a server on this machine
  local key = prefix .. 'host:' .. host
  local gate = redis.call('HMGET', key, 'until', 'next', 'tail')
  local busy, free, tail = tonumber(gate[1] or 0), tonumber(gate[2] or 0), tonumber(gate[3] or 0)
  if busy <= now and free <= now then
    redis.call('HSET', key, 'busy', token, 'until', ends, 'next', string.format('%.3f', now + delay))
    redis.call('PEXPIRE', key, math.ceil(1000 * (math.max(tonumber(ends), tail) - now + delay)))
    return nil
  end
  tail = math.max(tail, free, now) + delay
  local turn = string.format('%.3f', tail)
  redis.call('HSET', key, 'tail', turn)
  redis.call('PEXPIRE', key, math.ceil(1000 * (math.max(busy, tail) - now + delay)))
  redis.call('HSET', meta, 'next_poll', turn, 'next_reason', 'its turn at ' .. host)
  return turn
end

local out, taken, looked = {}, 0, 0
while taken < most and looked < 10 * most + 100 do
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, most - taken)
  if #due == 0 then break end
  local moved, leased = {}, {} -- what ZADD and HSET are told, once for all
  for i = 1, #due, 2 do
    local url, token = due[i], ARGV[4] .. '-' .. (taken + 1)
    local turn = delay > 0 and queue(url, token)
    moved[i], moved[i + 1] = turn or ends, url
    if not turn then
      local n = #leased
      leased[n + 1], leased[n + 2] = url, token
      n = #out
      out[n + 1], out[n + 2], out[n + 3] = url, due[i + 1], token
      taken = taken + 1
    end
  end
  redis.call('ZADD', KEYS[1], unpack(moved))
  if #leased > 0 then redis.call('HSET', KEYS[2], unpack(leased)) end
  looked = looked + #due / 2
end
return out
