-- Ends a subscription, and its topic if it was the last one.
-- KEYS 1 hub:requests  2 hub:verify  3 hub:subscriptions  4 hub:leases  5 hub:hosts:<host>  6 hub:topics  7 hub:topic:<topic>
--      8 hub:topic:<topic>:subs  9 hub:health  10 hub:paused  11 hub:ready  12 hub:later  13 hub:planning  14 hub:readers  15 hub:attempts
--      16 hub:open:subscriptions  17 hub:open:clients  18 hub:replays  19 hub:topic:<topic>:pings
--      20 hub:topic:<topic>:versions  21 hub:topic:<topic>:days  22 hub:filters
-- ARGV 1 reason: 'request' by the subscriber, 'claim' of a delivery that found no subscriber, 'lease' that is over, 'person'
--      2 id of the request; fence of the claim; now  3 value of the request as it was read  4 subscription
--      5 host, its last four letters  6 topic  7 start of the keys of the topic's bodies  8 TTL in seconds of its history, which a
--      subscriber finds who returns soon
-- returns 1, or 0 if the reason does not hold any longer
-- fragment forget_request
if ARGV[1] == 'request' then
  if redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[3] then return 0 end
  forget_request(ARGV[2], ARGV[3], ARGV[4])
elseif ARGV[1] == 'claim' then
  if tonumber(redis.call('ZSCORE', KEYS[12], ARGV[4]) or 0) ~= tonumber(ARGV[2]) then return 0 end
elseif ARGV[1] == 'lease' then
  local ends = redis.call('ZSCORE', KEYS[4], ARGV[4])
  if not ends or tonumber(ends) > tonumber(ARGV[2]) then return 0 end
end
if redis.call('HDEL', KEYS[3], ARGV[4]) == 1 and redis.call('HINCRBY', KEYS[5], ARGV[5], -1) <= 0 then
  redis.call('HDEL', KEYS[5], ARGV[5])
end
for _, i in ipairs({9, 14, 15, 18}) do redis.call('HDEL', KEYS[i], ARGV[4]) end
local client = redis.call('HGET', KEYS[16], ARGV[4])
if client then
  redis.call('HDEL', KEYS[16], ARGV[4])
  if redis.call('HINCRBY', KEYS[17], client, -1) <= 0 then redis.call('HDEL', KEYS[17], client) end
end
for _, i in ipairs({10, 19}) do redis.call('SREM', KEYS[i], ARGV[4]) end
for _, i in ipairs({4, 8, 11, 12}) do redis.call('ZREM', KEYS[i], ARGV[4]) end
if redis.call('ZCARD', KEYS[8]) == 0 then
  local version = redis.call('HGET', KEYS[7], 'version')
  while version do -- no takedown would find the bodies
    local bodies = {}
    for n = 0, 499 do bodies[n + 1] = ARGV[7] .. string.format('%.0f', version - n) end
    version = redis.call('UNLINK', unpack(bodies)) > 0 and version - 500
  end
  for _, i in ipairs({20, 21}) do redis.call('EXPIRE', KEYS[i], ARGV[8]) end
  redis.call('DEL', KEYS[7])
  for _, i in ipairs({6, 22}) do redis.call('HDEL', KEYS[i], ARGV[6]) end
  redis.call('ZREM', KEYS[13], ARGV[6])
end
return 1
