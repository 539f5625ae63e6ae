-- Stores a request to the hub, due now. An identical pending request is not stored twice, but becomes due now if it has failed.
-- KEYS 1 hub:requests  2 hub:verify
-- ARGV 1 subscription  2 maximum of its pending requests  3 now  4 request  5 its progress: when it was made, tries
-- returns the id of the request, '' if too many are pending
local free
for n = 1, tonumber(ARGV[2]) do
  local id = ARGV[1] .. '.' .. n
  local value = redis.call('HGET', KEYS[1], id)
  if not value then
    free = free or id
  elseif value:sub(1, #ARGV[4] + 1) == ARGV[4] .. '\n' then
    if value:match(' (%d+)$') ~= '0' then redis.call('ZADD', KEYS[2], ARGV[3], id) end
    return id
  end
end
if not free then return '' end
redis.call('HSET', KEYS[1], free, ARGV[4] .. '\n' .. ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], free)
return free
