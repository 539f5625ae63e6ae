-- Adds a session, and the network that its account signed in from.
-- KEYS 1 auth:<sum>  2 auth:<sum>:session  3 user:<id>:sessions  4 user:<id>:known
-- ARGV 1 <sum>  2 feed.NetworkOf its address  3 now  4 end of its life  5 idle time  6 life  7 how long the address is known  (seconds)
--      8 <id>  9… fields and values
-- returns 1
redis.call('SET', KEYS[1], ARGV[8], 'EX', ARGV[5])
redis.call('HSET', KEYS[2], unpack(ARGV, 9))
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
redis.call('EXPIRE', KEYS[3], ARGV[6])
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -21)
redis.call('EXPIRE', KEYS[4], ARGV[7])
return 1
