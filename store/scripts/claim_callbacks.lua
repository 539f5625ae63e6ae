-- Claims callbacks that something is to be done about. One that is not written makes itself due again when the claim ends.
-- KEYS 1 push:due or hub:verify  2 hub:asking:<id> of this daemon, where its claims are to be known after a kill
-- ARGV 1 now  2 most  3 end of the claim
-- returns the claimed members, after when the next one is due ('' for never)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(due) do
  redis.call('ZADD', KEYS[1], ARGV[3], member)
  if KEYS[2] then redis.call('ZADD', KEYS[2], ARGV[3], member) end
end
if KEYS[2] and #due > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
  redis.call('EXPIRE', KEYS[2], math.floor(ARGV[3] - ARGV[1] + 0.5))
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {first[2] or '', unpack(due)}
