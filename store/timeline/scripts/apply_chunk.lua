-- Adds an entry to the caches of followers, moves it there, or removes it.
-- KEYS 1 feed:user:<user> of one of them
-- ARGV 1 prefix of their keys  2 feed_url  3 number of the entry  4 its timestamp; '' if it was removed
--      5 how many entries a cache has at most  6 TTL of a cache  then the users
-- returns how many caches have changed
local prefix, url, member, score, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])

-- add adds an entry to a cache of some size, or moves it from another score. It returns 1 if that changed the cache.
local function add(cache, state, size)
  if redis.call('ZADD', cache, 'CH', score, member) == 0 then return 0 end
  if size >= most then redis.call('ZREMRANGEBYRANK', cache, 0, -1 - most) end
  if size == 0 then
    redis.call('EXPIRE', cache, ARGV[6])
  elseif state:sub(1, 8) ~= 'building' and redis.call('ZRANGE', cache, 0, 0)[1] == member then
    redis.call('ZREM', cache, member) -- the last entry of a cache has no gap before it, and this one may have
  end
  return 1
end

local changed = 0
for i = 7, #ARGV do
  local cache = prefix .. 'feed:user:' .. ARGV[i]
  if score == '' then
    changed = changed + redis.call('ZREM', cache, member)
  else
    local state = redis.call('GET', cache .. ':warm')
    if state and redis.call('HEXISTS', prefix .. 'user.follows:' .. ARGV[i], url) == 1 then
      local size = redis.call('ZCARD', cache)
      if state ~= 'ready' or size > 0 then changed = changed + add(cache, state, size) end
    end
  end
end
return changed
