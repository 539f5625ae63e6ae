-- Signals the lists whose digest changed, unless it compared them a moment ago. The first comparison of a store signals none.
-- fragment count
-- KEYS 1 lists:signalled  2 lists:compared  3 signals  4 activity:<n> of now
-- ARGV 1 now  2 seconds between two comparisons  3... for each list its name, the URL of its feed and its digest, '' if that is unavailable
-- returns how many signals it wrote
redis.call('XLEN', KEYS[3]) -- an error before the first change
local now, last = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[2]) or 0)
if now >= last and now < last + tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
local first, made, lists = redis.call('EXISTS', KEYS[1]) == 0, 0, {}
for i = 3, #ARGV, 3 do
  local name, url, digest = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  lists[name] = true
  if digest ~= '' and redis.call('HGET', KEYS[1], name) ~= digest then
    redis.call('HSET', KEYS[1], name, digest)
    if not first then
      redis.call('XADD', KEYS[3], '*', 'kind', 'list_modified', 'feed_url', url, 'time', ARGV[1], 'list', name, 'digest', digest)
      made = made + 1
    end
  end
end
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not lists[name] then redis.call('HDEL', KEYS[1], name) end
end
count(KEYS[4], 'signals', made)
return made
