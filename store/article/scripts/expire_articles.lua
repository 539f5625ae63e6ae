-- Moves articles that aged out of the window of a feed from published to expired.
-- KEYS 1 published_<type>  2 expired_<type>  3 version:<type>
-- ARGV 1 now  2 articles published before this time aged out  3 maximum number
-- returns their uuids
-- fragment new_version
local uuids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
for _, uuid in ipairs(uuids) do
  redis.call('ZREM', KEYS[1], uuid)
  redis.call('ZADD', KEYS[2], ARGV[1], uuid)
end
if #uuids > 0 then new_version(KEYS[3]) end
return uuids
