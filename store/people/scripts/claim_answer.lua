-- Reads the response to a request with an Idempotency-Key, or claims the key for a first request. A repeated call returns
-- the same.
-- KEYS 1 answer:<id>  2 user:<id>:answers of the account that sends it
-- ARGV 1 sum of the request  2 token  3 TTL of the claim in seconds  4 <id>  5 "1" if there is such an account
--      6 TTL of the response in seconds  7 now
-- returns 'claimed'; 'other': the key was used for another request; 'busy': the first request has no response yet;
--         or 'kept', status, type, location, body, told
local kept = redis.call('HMGET', KEYS[1], 'sum', 'token', 'status', 'type', 'location', 'body', 'told')
if not kept[1] then
  redis.call('HSET', KEYS[1], 'sum', ARGV[1], 'token', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  if ARGV[5] == '1' then
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[7] - ARGV[6] - ARGV[3])
    redis.call('ZADD', KEYS[2], ARGV[7], ARGV[4])
    redis.call('EXPIRE', KEYS[2], ARGV[6] + ARGV[3])
  end
  return {'claimed'}
end
if kept[1] ~= ARGV[1] then return {'other'} end
if kept[3] then return {'kept', kept[3], kept[4], kept[5], kept[6], kept[7]} end
if kept[2] == ARGV[2] then return {'claimed'} end
return {'busy'}
