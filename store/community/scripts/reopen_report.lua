-- Returns something that members have reported to the queue.
-- KEYS 1 reports  2 reports:<object>
-- ARGV 1 <object>  2 now
-- returns 1, or 0: it is in the queue, or no reports of it are stored
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local first = tonumber(ARGV[2])
for _, text in ipairs(redis.call('HVALS', KEYS[2])) do first = math.min(first, tonumber(string.match(text, '^(%S+)')) or first) end
return redis.call('ZADD', KEYS[1], 'NX', string.format('%.17g', first), ARGV[1])
