-- Makes due what a daemon had claimed when it was killed, or in a call whose reply was lost, and releases the hosts.
-- KEYS 1 sched:due  2 sched:lease
-- ARGV 1 prefix of the tokens  2 now  3 key prefix
-- returns how many sources
local leases, n = redis.call('HGETALL', KEYS[2]), 0
for i = 1, #leases, 2 do
  local url, token = leases[i], leases[i + 1]
  if token:sub(1, #ARGV[1]) == ARGV[1] then
    redis.call('HDEL', KEYS[2], url)
    local meta = redis.pcall('HMGET', ARGV[3] .. url .. ':meta', 'paused', 'host')
    if meta[1] ~= '1' then redis.call('ZADD', KEYS[1], ARGV[2], url) end
    local host = ARGV[3] .. 'host:' .. (meta[2] or '')
    if redis.pcall('HGET', host, 'busy') == token then redis.call('HDEL', host, 'busy', 'until') end
    n = n + 1
  end
end
return n
