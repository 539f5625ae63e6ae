-- Saves how far a job is, and the results that came since. Sent twice it does nothing the second time.
-- KEYS 1 job:<id>  2 job:<id>:results
-- ARGV 1 the job, JSON  2 TTL in seconds  3 number of results that were saved before  then the results, JSON
-- returns 1
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
if #ARGV > 3 and redis.call('LLEN', KEYS[2]) == tonumber(ARGV[3]) then
  for i = 4, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
end
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1
