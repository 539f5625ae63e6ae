-- Creates or renews a subscription, and deletes the request for it.
-- KEYS 1 hub:requests  2 hub:verify  3 hub:subscriptions  4 hub:leases  5 hub:hosts:<host>  6 hub:topics  7 hub:topic:<topic>
--      8 hub:topic:<topic>:subs  9 hub:open  10 hub:open:subscriptions  11 hub:open:clients
--      12 hub:topic:<topic>:pings  13 hub:filters
-- ARGV 1 id of the request, '' for none  2 its value as it was read  3 subscription  4 host, its last four letters  5 topic
--      6 URL of the topic  7 record of the subscription  8 end of the lease, '' for none
--      9 number before the first version of a new topic  10 network of the client, '' for none
--      11 1 for a hub in hub.ping  12 1 for a topic of webhooks
-- returns 1, or 0 if the request has another value
-- fragment forget_request
if ARGV[1] ~= '' then
  if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
    return redis.call('HGET', KEYS[3], ARGV[3]) == ARGV[7] and 1 or 0
  end
  forget_request(ARGV[1], ARGV[2], ARGV[3])
end
if redis.call('HSET', KEYS[3], ARGV[3], ARGV[7]) == 1 then
  redis.call('HINCRBY', KEYS[5], ARGV[4], 1)
  if ARGV[10] ~= '' and redis.call('HEXISTS', KEYS[9], ARGV[5]) == 1 then
    redis.call('HSET', KEYS[10], ARGV[3], ARGV[10])
    redis.call('HINCRBY', KEYS[11], ARGV[10], 1)
  end
end
if ARGV[8] ~= '' then
  redis.call('ZADD', KEYS[4], ARGV[8], ARGV[3])
else
  redis.call('ZREM', KEYS[4], ARGV[3])
end
redis.call('HSET', KEYS[6], ARGV[5], ARGV[6])
if ARGV[12] == '1' then redis.call('HSET', KEYS[13], ARGV[5], ARGV[6]) end
redis.call('HSETNX', KEYS[7], 'version', ARGV[9])
local first = string.format('%.0f', tonumber(redis.call('HGET', KEYS[7], 'version')) + 1)
redis.call('ZADD', KEYS[8], 'NX', first, ARGV[3])
if ARGV[11] == '1' then redis.call('SADD', KEYS[12], ARGV[3]) end
return 1
