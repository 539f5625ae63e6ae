-- Writes a request to the hub down, due at once. One that waits already in the same words is not written twice.
-- KEYS 1 hub:requests  2 hub:verify
-- ARGV 1 subscription  2 most requests of it that may wait  3 now  4 request  5 the line behind it: asked and tries
-- returns the id of the request, '' if too many wait
local free
for n = 1, tonumber(ARGV[2]) do
  local id = ARGV[1] .. '.' .. n
  local waits = redis.call('HGET', KEYS[1], id)
  if not waits then
    free = free or id
  elseif waits:sub(1, #ARGV[4] + 1) == ARGV[4] .. '\n' then
    return id
  end
end
if not free then return '' end
redis.call('HSET', KEYS[1], free, ARGV[4] .. '\n' .. ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], free)
return free
