-- Claims callbacks that something is to be done about. One that is not written makes itself due again when the claim ends.
-- KEYS 1 push:due
-- ARGV 1 now  2 most  3 end of the claim
-- returns the members of push:due, after when the next one is due ('' for never)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[3], member) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {first[2] or '', unpack(due)}
