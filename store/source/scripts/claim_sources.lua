-- Claims due sources. If a claim is not finished, the source is due again when the lease ends. If the host of a source is busy or
-- must not be polled yet, the source gets the next slot in the queue of the host: that is its new due time.
-- KEYS 1 sched:due  2 sched:lease
-- ARGV 1 now  2 limit  3 end of the lease  4 token base, unique to this call  5 key prefix
--      6 seconds between two polls at one host; 0: any number at a time
-- returns feed_url, due time, token, key of the host if it cannot be read or '' of each, oldest due first
redis.call('HLEN', KEYS[2]) -- fails before anything is written
local now, limit, ends, prefix, delay = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[5], tonumber(ARGV[6])

-- queue reserves the host of a source for this poll, or returns the slot of the source in the queue. If the key of the host cannot be
-- read, it returns nil and the key.
local function queue(url, token)
  local meta = prefix .. url .. ':meta'
  local host = redis.pcall('HGET', meta, 'host')
  if not host or host == '' or type(host) == 'table' then return nil end -- HostDelay does not apply to it, or the meta is damaged
  local key = prefix .. 'host:' .. host
  local slots = redis.pcall('HMGET', key, 'until', 'next', 'tail')
  if slots.err then return nil, key end
  local busy, free, tail = tonumber(slots[1] or 0) or 0, tonumber(slots[2] or 0) or 0, tonumber(slots[3] or 0) or 0
  if busy <= now and free <= now then
    redis.call('HSET', key, 'busy', token, 'until', ends, 'next', string.format('%.3f', now + delay))
    redis.call('PEXPIRE', key, math.ceil(1000 * (math.max(tonumber(ends), tail) - now + delay)))
    return nil
  end
  tail = math.max(tail, free, now) + delay
  local slot = string.format('%.3f', tail)
  redis.call('HSET', key, 'tail', slot)
  redis.call('PEXPIRE', key, math.ceil(1000 * (math.max(busy, tail) - now + delay)))
  redis.call('HSET', meta, 'next_poll', slot, 'next_reason', 'queued for ' .. host)
  return slot
end

local out, claimed, examined = {}, 0, 0
while claimed < limit and examined < 10 * limit + 100 do
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, limit - claimed)
  if #due == 0 then break end
  local moved, leased = {}, {} -- arguments of one ZADD and one HSET
  for i = 1, #due, 2 do
    local url, token = due[i], ARGV[4] .. '-' .. (claimed + 1)
    local slot, damaged
    if delay > 0 then slot, damaged = queue(url, token) end
    moved[i], moved[i + 1] = slot or ends, url
    if not slot then
      local n = #leased
      leased[n + 1], leased[n + 2] = url, token
      n = #out
      out[n + 1], out[n + 2], out[n + 3], out[n + 4] = url, due[i + 1], token, damaged or ''
      claimed = claimed + 1
    end
  end
  redis.call('ZADD', KEYS[1], unpack(moved))
  if #leased > 0 then redis.call('HSET', KEYS[2], unpack(leased)) end
  examined = examined + #due / 2
end
return out
