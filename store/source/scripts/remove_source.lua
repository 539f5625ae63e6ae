-- Removes a source whose entries are deleted.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 sched:lease  5 <feed_url>:sort  6 <feed_url>:guidmap
--      7 <feed_url>:dead  8 <feed_url>:polls  9 <feed_url>:alias  10 sched:unwell  11 <feed_url>:takedowns  12 <feed_url>:deleted
-- ARGV 1 source id  2 feed_url  3 seconds for which the takedowns stay
-- returns 1 removed, 0 it still has entries
if redis.call('ZCARD', KEYS[5]) > 0 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[10], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[2])
redis.call('UNLINK', KEYS[2], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[12])
redis.call('EXPIRE', KEYS[11], ARGV[3])
return 1
