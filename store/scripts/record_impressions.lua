-- Records that one fetch of a feed was completed, and promotes the articles that have been seen often enough.
-- KEYS 1 published_<type>  2 imported_<type>  3 version:<type>  4 fetch:<type>:<id>,
--      then for each article: article:<uuid>, article:<uuid>:impressions:<type>
-- ARGV 1 type  2 now  3 impressions that make an article imported; 0: none do, then for each article: uuid, revision
-- returns {1 if this fetch was recorded before, counted, ignored, promoted uuids ...}
local before = redis.call('GET', KEYS[4])
if before then
  local answer = cjson.decode(before)
  answer[1] = '1'
  return answer
end
local typ, now, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local counted, ignored, answer = 0, 0, {'0'}
for i = 5, #KEYS, 2 do
  local uuid, revision = ARGV[i - 1], ARGV[i]
  if redis.call('HGET', KEYS[i], 'revision_' .. typ) == revision and redis.call('ZSCORE', KEYS[1], uuid) then
    local n = redis.pcall('LPUSH', KEYS[i + 1], now)
    if type(n) == 'table' then
      -- A script is not undone where it fails: a damaged list must not leave the others counted and this fetch unknown.
      if not n.err:find('WRONGTYPE') then return n end
      ignored, n = ignored + 1, 0
    else
      counted = counted + 1
    end
    if limit == 0 and n > 0 then redis.call('LTRIM', KEYS[i + 1], 0, 99) end -- nothing else would end the list
    if limit > 0 and n >= limit then
      redis.call('ZREM', KEYS[1], uuid)
      redis.call('ZADD', KEYS[2], now, uuid)
      redis.call('HSET', KEYS[i], 'date_imported_' .. typ, now)
      answer[#answer + 1] = uuid
    end
  else
    ignored = ignored + 1
  end
end
table.insert(answer, 2, tostring(counted))
table.insert(answer, 3, tostring(ignored))
if #answer > 3 then
  if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('INCR', KEYS[3])
  else redis.call('SET', KEYS[3], math.floor(now) * 1000) end
end
redis.call('SET', KEYS[4], cjson.encode(answer), 'EX', 3600)
return answer
