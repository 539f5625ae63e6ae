-- Claims a job that has no claim, or an expired claim.
-- KEYS 1 jobs  2 job:<id>:work
-- ARGV 1 id  2 token  3 now  4 end of the claim
-- returns 1, or 0 if another daemon has the claim or the job is gone
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
local token = redis.call('HGET', KEYS[2], 'token')
if token == ARGV[2] then return 1 end -- a repeated call
if not due or tonumber(due) > tonumber(ARGV[3]) then return 0 end
if redis.call('EXISTS', KEYS[2]) == 0 then -- expired
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('HSET', KEYS[2], 'token', ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
