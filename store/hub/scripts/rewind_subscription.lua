-- Makes an earlier version of its topic the next one of a subscription, due now, but none after the first that it has not accepted. A
-- delivery under way loses its claim.
-- KEYS 1 hub:ready  2 hub:later  3 hub:topic:<topic>  4 hub:topic:<topic>:subs  5 hub:replays  6 hub:dead
-- ARGV 1 subscription  2 version  3 '1' if versions that were sent before are replays, '' if the subscriber has missed them
--      4 dead letter that says so, which is removed; '' without one
-- returns 1, 0 if the subscription does not exist, -1 if the topic has no version yet, -2 if the dead letter was removed before
local next = redis.call('ZSCORE', KEYS[4], ARGV[1])
if not next then return 0 end
local newest = redis.call('HMGET', KEYS[3], 'version', 'changed')
if not newest[2] then return -1 end
if ARGV[4] ~= '' and redis.call('XDEL', KEYS[6], ARGV[4]) == 0 then return -2 end
local version = string.format('%.0f', math.min(newest[1], ARGV[2], math.abs(next)))
local sent = math.max(math.abs(tonumber(next)) - 1, tonumber(redis.call('HGET', KEYS[5], ARGV[1]) or 0))
if ARGV[3] ~= '' and tonumber(version) <= sent then
  redis.call('HSET', KEYS[5], ARGV[1], string.format('%.0f', sent))
end
redis.call('ZADD', KEYS[4], '-' .. version, ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
return 1
