-- Removes a member from those who reported something.
-- KEYS 1 reports  2 reports:<object>  3 user.reports:<id>
-- ARGV 1 <object>  2 <id>
-- returns 1
redis.call('HDEL', KEYS[2], ARGV[2])
if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[1], ARGV[1]) end
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
