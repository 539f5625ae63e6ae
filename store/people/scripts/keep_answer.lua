-- Stores the response to a request, or ends its claim.
-- KEYS 1 answer:<id>
-- ARGV 1 token of the claim  2 TTL in seconds; 0: store nothing  3 status  4 type  5 location  6 body  7 told
-- returns 1, or 0 if the claim has ended
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('DEL', KEYS[1]) end
redis.call('HDEL', KEYS[1], 'token')
redis.call('HSET', KEYS[1], 'status', ARGV[3], 'type', ARGV[4], 'location', ARGV[5], 'body', ARGV[6], 'told', ARGV[7])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
