-- Counts a sign-in for its address and its account, unless there were too many: then it must wait. From the maximum on, each
-- further sign-in doubles the wait, from a minute up to an hour. If the account signed in from the address before, only the
-- address counts, so that attempts from elsewhere do not lock the account out.
-- KEYS 1 attempts:<whose> of the address  2 attempts:<whose> of the account  3 username.to.id:<name> of the account, which need not exist
-- ARGV 1 now, in seconds  2 beginning of the keys of accounts  3 network of the address  4 maximum of an address  5 maximum of an account
--      6 TTL in seconds
-- returns how many seconds to wait; 0: continue
local now, longest = tonumber(ARGV[1]), 3600
local counters = {{KEYS[1], tonumber(ARGV[4])}}
local id = redis.call('GET', KEYS[3])
local known = id and redis.call('ZSCORE', ARGV[2] .. id .. ':known', ARGV[3])
if not known then counters[2] = {KEYS[2], tonumber(ARGV[5])} end
local wait = 0
for _, c in ipairs(counters) do
  local left = (tonumber(redis.call('HGET', c[1], 'until')) or 0) - now
  if left <= longest then wait = math.max(wait, left) end -- otherwise the clock was set back
end
if wait > 0 then return math.ceil(wait) end
for _, c in ipairs(counters) do
  local n = redis.call('HINCRBY', c[1], 'count', 1)
  if n >= c[2] then redis.call('HSET', c[1], 'until', now + math.min(longest, 60 * 2 ^ math.min(n - c[2], 10))) end
  redis.call('EXPIRE', c[1], ARGV[6])
end
return 0
