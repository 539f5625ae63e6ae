-- Adds or updates an article.
-- KEYS 1 article:<uuid>  2 article:<uuid>:content  3 articles
-- ARGV 1 uuid  2 now  3 digest  4 content; '' for none, then field pairs
-- returns 1 saved, 0 it had this digest already
if redis.call('HGET', KEYS[1], 'digest') == ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'digest', ARGV[3], 'date_updated', ARGV[2], unpack(ARGV, 5))
if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4]) else redis.call('UNLINK', KEYS[2]) end
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
return 1
