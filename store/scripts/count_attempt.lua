-- Counts a sign-in that begins, for its address and its account, unless there were so many that it has to wait. From the
-- most on, each further one doubles the time to the next, from a minute up to an hour. Where an account is known to sign
-- in from an address, only the address counts: else who guesses could keep it out.
-- KEYS 1 attempts:<whose> of the address  2 attempts:<whose> of the account  3 account:<name>:known
-- ARGV 1 now, in seconds  2 address  3 most of an address  4 most of an account  5 TTL in seconds
-- returns how many seconds it has to wait; 0: go on
local now = tonumber(ARGV[1])
local counters = {{KEYS[1], tonumber(ARGV[3])}}
if not redis.call('ZSCORE', KEYS[3], ARGV[2]) then counters[2] = {KEYS[2], tonumber(ARGV[4])} end
local wait = 0
for _, c in ipairs(counters) do
  wait = math.max(wait, (tonumber(redis.call('HGET', c[1], 'until')) or 0) - now)
end
if wait > 0 then return math.ceil(wait) end
for _, c in ipairs(counters) do
  local n = redis.call('HINCRBY', c[1], 'count', 1)
  if n >= c[2] then redis.call('HSET', c[1], 'until', now + math.min(3600, 60 * 2 ^ math.min(n - c[2], 10))) end
  redis.call('EXPIRE', c[1], ARGV[5])
end
return 0
