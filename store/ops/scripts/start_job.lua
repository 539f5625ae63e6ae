-- Adds a job for a daemon. It is safe to repeat.
-- KEYS 1 job:<id>  2 job:<id>:work  3 jobs
-- ARGV 1 id  2 the job, JSON  3 its work  4 now  5 maximum number of jobs that have not ended  6 TTL in seconds
-- returns 1, or 0 if there are too many
if redis.call('ZSCORE', KEYS[3], ARGV[1]) then return 1 end
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[5]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[6])
redis.call('HSET', KEYS[2], 'work', ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[6])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
return 1
