-- Records completed fetches of a feed, and moves articles with enough impressions from published to imported.
-- KEYS 1 published_<type>  2 imported_<type>  3 version:<type>  4 activity:<n> of now, then fetch:<type>:<id> for each fetch,
--      then for each article: article:<uuid>, article:<uuid>:impressions:<type>
-- ARGV 1 type  2 now  3 impressions that make an article imported; 0: never  4 TTL of the results in seconds
--      5 number of fetches, then for each fetch how many it stands for, then for each article: uuid, revision
-- returns {fetches that were recorded before, counted, ignored, imported uuids ...}
-- fragment count
-- fragment new_version
local typ, now, limit, keep, fetches = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local times, news, total = 0, {}, {0, 0, 0}
local function add(answer)
  for i = 1, 3 do total[i] = total[i] + answer[i] end
  for i = 4, #answer do total[#total + 1] = answer[i] end
end
local function reply()
  for i = 1, 3 do total[i] = tostring(total[i]) end
  return total
end
for i = 1, fetches do
  local answer = redis.call('GET', KEYS[4 + i])
  if answer then -- a repeated fetch: the caller did not receive the result
    answer = cjson.decode(answer)
    answer[1] = ARGV[5 + i]
    add(answer)
  else
    times = times + tonumber(ARGV[5 + i])
    news[#news + 1] = KEYS[4 + i]
  end
end
if times == 0 then return reply() end

-- stamps are the times to push: no list is longer than the limit or, without a limit, than a hundred.
local stamps = {}
for i = 1, math.min(times, limit > 0 and limit or 100) do stamps[i] = now end
local counted, ignored, answer = 0, 0, {'0'}
local shown = 5 + fetches
for i = 5 + fetches, #KEYS, 2 do
  shown = shown + 2
  local uuid, revision, list = ARGV[shown - 1], ARGV[shown], KEYS[i + 1]
  if redis.call('HGET', KEYS[i], 'revision_' .. typ) == revision and redis.call('ZSCORE', KEYS[1], uuid) then
    local room = #stamps
    if limit > 0 and room > 1 then
      local have = redis.pcall('LLEN', list)
      if type(have) == 'number' then room = math.max(1, math.min(room, limit - have)) end
    end
    local n = redis.pcall('LPUSH', list, unpack(stamps, 1, room))
    if type(n) == 'table' then
      -- Redis does not roll back a script that fails: after a damaged list the others must not stay counted for an unknown fetch.
      if not n.err:find('WRONGTYPE') then return n end
      ignored, n = ignored + times, 0
    elseif limit > 0 then
      counted, ignored = counted + room, ignored + times - room
    else
      counted = counted + times
    end
    if limit == 0 and n > 100 then redis.call('LTRIM', list, 0, 99) end -- nothing else bounds the list
    if limit > 0 and n >= limit then
      redis.call('ZREM', KEYS[1], uuid)
      redis.call('ZADD', KEYS[2], now, uuid)
      redis.call('HSET', KEYS[i], 'date_imported_' .. typ, now)
      answer[#answer + 1] = uuid
    end
  else
    ignored = ignored + times
  end
end
count(KEYS[4], 'impressions', counted, 'imported', #answer - 1)
table.insert(answer, 2, tostring(counted))
table.insert(answer, 3, tostring(ignored))
if #answer > 3 then new_version(KEYS[3]) end
-- The first fetch stores the result for all of them, in case they are repeated.
add(answer)
local text = cjson.encode(answer)
for _, key in ipairs(news) do
  redis.call('SET', key, text, 'EX', keep)
  text = '["0","0","0"]'
end
return reply()
