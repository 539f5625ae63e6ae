-- Begins to build a cache, unless it can be used or is being built.
-- KEYS 1 feed:user:<user>  2 feed:user:<user>:warm
-- ARGV 1 token  2 seconds for which no other process builds it
-- returns 1 begun, 0 not
local state = redis.call('GET', KEYS[2])
if state and (state ~= 'ready' or redis.call('EXISTS', KEYS[1]) == 1) then return 0 end
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[2], 'building ' .. ARGV[1], 'EX', ARGV[2])
return 1
