-- Adds a session, and the network that its account signed in from.
-- KEYS 1 session:<hash>  2 account:<name>:sessions  3 account:<name>:known
-- ARGV 1 <hash>  2 feed.NetworkOf its address  3 now  4 end of its life  5 idle time  6 life  7 how long the address is known  (seconds)
--      8… fields and values
-- returns 1
redis.call('HSET', KEYS[1], unpack(ARGV, 8))
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[6])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -21)
redis.call('EXPIRE', KEYS[3], ARGV[7])
return 1
