-- Claims due callbacks. A callback that is not written until the claim ends becomes due again.
-- KEYS 1 push:due
-- ARGV 1 now  2 limit  3 end of the claim
-- returns the claimed members
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[3], member) end
return due
