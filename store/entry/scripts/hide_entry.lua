-- Takes an entry out of the lists of its source.
-- KEYS 1 Entry:<n>  2 <feed_url>:sort
-- ARGV 1 id
-- returns 1, 0 there is no such entry
redis.call('ZCARD', KEYS[2]) -- before anything is written
if redis.call('HEXISTS', KEYS[1], 'guid') == 0 then return 0 end
redis.call('HSETNX', KEYS[1], 'hidden', 1)
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
