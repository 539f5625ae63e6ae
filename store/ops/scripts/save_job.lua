-- Saves the progress of a job and new results. It is safe to repeat.
-- KEYS 1 job:<id>  2 job:<id>:results  3 job:<id>:work  4 jobs
-- ARGV 1 id  2 token of the claim  3 the job, JSON  4 TTL in seconds  5 end of the claim; '' if the job has ended
--      6 number of results saved before  7… new results, JSON
-- returns 1, or 0 if the claim is lost: nothing is written
if redis.call('GET', KEYS[1]) == ARGV[3] then return 1 end -- a repeated call: the job contains a time
if redis.call('HGET', KEYS[3], 'token') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[4])
if #ARGV > 6 and redis.call('LLEN', KEYS[2]) == tonumber(ARGV[6]) then
  for i = 7, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
end
redis.call('EXPIRE', KEYS[2], ARGV[4])
if ARGV[5] == '' then
  redis.call('UNLINK', KEYS[3])
  redis.call('ZREM', KEYS[4], ARGV[1])
else
  redis.call('EXPIRE', KEYS[3], ARGV[4])
  redis.call('ZADD', KEYS[4], ARGV[5], ARGV[1])
end
return 1
