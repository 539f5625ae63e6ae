-- Counts a sign-in for its address and its account, unless there were too many: then it must wait. From the maximum on, each
-- further sign-in doubles the wait, from a minute up to an hour. If the account signed in from the address before, only the
-- address counts, so that attempts from elsewhere do not lock the account out.
-- KEYS 1 attempts:<whose> of the address  2 attempts:<whose> of the account
-- ARGV 1 now, in seconds  2 "1" if the account signed in from the address before  3 maximum of an address  4 maximum of an account  5 TTL in seconds
-- returns how many seconds to wait; 0: continue
local now, longest = tonumber(ARGV[1]), 3600
local counters = {{KEYS[1], tonumber(ARGV[3])}}
if ARGV[2] ~= '1' then counters[2] = {KEYS[2], tonumber(ARGV[4])} end
local wait = 0
for _, c in ipairs(counters) do
  local left = (tonumber(redis.call('HGET', c[1], 'until')) or 0) - now
  if left <= longest then wait = math.max(wait, left) end -- otherwise the clock was set back
end
if wait > 0 then return math.ceil(wait) end
for _, c in ipairs(counters) do
  local n = redis.call('HINCRBY', c[1], 'count', 1)
  if n >= c[2] then redis.call('HSET', c[1], 'until', now + math.min(longest, 60 * 2 ^ math.min(n - c[2], 10))) end
  redis.call('EXPIRE', c[1], ARGV[5])
end
return 0
