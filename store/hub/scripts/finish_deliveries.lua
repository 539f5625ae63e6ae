-- Stores the results of deliveries and ends their claims. A result whose claim was lost, or whose subscription has ended, is
-- ignored.
-- KEYS 1 hub:ready  2 hub:later  3 hub:health  4 hub:dead  5 hub:readers  6 hub:attempts  7… for each topic: hub:topic:<topic>,
--      hub:topic:<topic>:subs, hub:topic:<topic>:versions
-- ARGV 1 now  2 maximum of dead letters  3 number of results  4… the subscription of each result, then for each result: index of
--      its topic in KEYS, fence, version, next time, health ('' to leave it as it is), readers ('' if not
--      reported), attempts ('' to leave them as they are), result of the attempt ('' if there was none), outcome: 'delivered',
--      'failed', 'deferred', or 'dead' with five more: URL of the topic, its failures, since, status, reason
-- returns how many claims were lost, how many subscriptions have a next version that is due now
local claims = tonumber(ARGV[3])
local fences = redis.call('ZMSCORE', KEYS[2], unpack(ARGV, 4, 3 + claims))
local newest, moved = {}, {}    -- by index of the topic: its version; arguments of ZADD
local ended, ready = {}, {}     -- subscriptions that leave hub:later; arguments of ZADD
local attempted = {}            -- arguments of HSET
local results = {}              -- by index of the topic, version and result: their number
local lost, again, at = 0, 0, 4 + claims

-- Counts a result of a version of a topic.
local function count(topic, version, result)
  local versions = results[topic] or {}
  local counts = versions[version] or {}
  results[topic], versions[version] = versions, counts
  counts[result] = (counts[result] or 0) + 1
end

for i = 1, claims do
  local sub, topic, fence, number = ARGV[3 + i], tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2]
  local version = tonumber(number)
  local due, health, readers, attempts, result, outcome = unpack(ARGV, at + 3, at + 8)
  local more = at + 9
  at = more
  if outcome == 'dead' then at = at + 5 end
  if not newest[topic] then
    newest[topic], moved[topic] = tonumber(redis.call('HGET', KEYS[topic], 'version') or 0), {}
  end
  local move = moved[topic]
  local held = fences[i] and tonumber(fences[i]) == tonumber(fence)
  if held and attempts ~= '' then
    attempted[#attempted + 1] = sub
    attempted[#attempted + 1] = attempts
  end
  if held and result ~= '' then count(topic, number, result) end
  if held and outcome == 'dead' then count(topic, number, outcome) end
  if not held then
    lost = lost + 1
  elseif outcome == 'delivered' then
    if health ~= '' then redis.call('HDEL', KEYS[3], sub) end
    if readers ~= '' then redis.call('HSET', KEYS[5], sub, readers) end
    ended[#ended + 1] = sub
    if version < newest[topic] then
      move[#move + 1] = string.format('-%.0f', version + 1)
      ready[#ready + 1] = 0
      ready[#ready + 1] = sub
      again = again + 1
    else
      move[#move + 1] = string.format('%.0f', version + 1)
    end
    move[#move + 1] = sub
  elseif outcome == 'dead' then
    local last = math.max(newest[topic], version)
    redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[2], '*', 'subscription', sub, 'topic', ARGV[more],
      'first', string.format('%.0f', version), 'last', string.format('%.0f', last), 'failures', ARGV[more + 1],
      'since', ARGV[more + 2], 'time', ARGV[1], 'status', ARGV[more + 3], 'reason', ARGV[more + 4])
    redis.call('HSET', KEYS[3], sub, health)
    ended[#ended + 1] = sub
    move[#move + 1] = string.format('%.0f', last + 1)
    move[#move + 1] = sub
  else
    if outcome == 'failed' then redis.call('HSET', KEYS[3], sub, health) end
    redis.call('ZADD', KEYS[2], due, sub)
  end
end
for topic, move in pairs(moved) do
  if #move > 0 then redis.call('ZADD', KEYS[topic + 1], unpack(move)) end
end
for topic, versions in pairs(results) do
  for version, counts in pairs(versions) do
    local text = redis.call('HGET', KEYS[topic + 2], version)
    if text then
      local known = cjson.decode(text)
      known.results = known.results or {}
      for result, n in pairs(counts) do known.results[result] = (known.results[result] or 0) + n end
      redis.call('HSET', KEYS[topic + 2], version, cjson.encode(known))
    end
  end
end
if #attempted > 0 then redis.call('HSET', KEYS[6], unpack(attempted)) end
if #ended > 0 then redis.call('ZREM', KEYS[2], unpack(ended)) end
if #ready > 0 then redis.call('ZADD', KEYS[1], unpack(ready)) end
return {lost, again}
