-- Adds an entry to the caches of followers, moves it there, or removes it.
-- KEYS for each user: feed:user:<user>, feed:user:<user>:warm, user.follows:<user>
-- ARGV 1 feed_url  2 number of the entry  3 its timestamp; '' if it was removed  4 how many entries a cache has at most  5 TTL of a cache
-- returns how many caches have changed
local url, member, score, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local changed = 0

-- add adds an entry, or moves it from another score.
local function add(cache, state, before)
  redis.call('ZADD', cache, score, member)
  redis.call('ZREMRANGEBYRANK', cache, 0, -1 - most)
  if redis.call('TTL', cache) == -1 then redis.call('EXPIRE', cache, ARGV[5]) end
  if state:sub(1, 8) == 'building' or redis.call('ZRANK', cache, member) ~= 0 then return end
  -- The last entry of a cache has no gap before it. This one may have.
  if before or redis.call('ZCARD', cache) > 1 then redis.call('ZREM', cache, member) end
end

for i = 1, #KEYS, 3 do
  local cache, state = KEYS[i], redis.call('GET', KEYS[i + 1])
  if score == '' then
    changed = changed + redis.call('ZREM', cache, member)
  elseif state and redis.call('HEXISTS', KEYS[i + 2], url) == 1 and (state ~= 'ready' or redis.call('EXISTS', cache) == 1) then
    local before = redis.call('ZSCORE', cache, member)
    if before ~= score then
      add(cache, state, before)
      changed = changed + 1
    end
  end
end
return changed
