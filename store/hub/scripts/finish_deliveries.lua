-- Stores the results of deliveries and ends their claims. A result whose claim was lost, or whose subscription has ended, is
-- ignored.
-- KEYS 1 hub:ready  2 hub:later  3 hub:health  4 hub:dead  5 hub:readers  6 hub:attempts  7… for each topic: hub:topic:<topic>,
--      hub:topic:<topic>:subs, hub:topic:<topic>:versions
-- ARGV 1 now  2 maximum of dead letters  3 number of results  4… the subscription of each result, in the order of the groups, then for
--      each group of results that differ in their attempts only: index of its topic in KEYS, fence, version, next time, health ('' to
--      leave it as it is), readers ('' if not reported), result of the attempt ('' if there was none), outcome: 'delivered', 'failed',
--      'deferred', or 'dead', its size, for 'dead' five more: URL of the topic, failures, since, status, reason; then of each result:
--      attempts ('' to leave them as they are)
-- returns how many claims were lost, how many subscriptions have a next version that is due now
local claims = tonumber(ARGV[3])
local fences = redis.call('ZMSCORE', KEYS[2], unpack(ARGV, 4, 3 + claims))
local newest, moved = {}, {}    -- by index of the topic: its version; arguments of ZADD
local ended, ready = {}, {}     -- subscriptions that leave hub:later; arguments of ZADD
local attempted = {}            -- arguments of HSET
local results = {}              -- by index of the topic, version and result: their number
local lost, again = 0, 0

-- Counts results of a version of a topic.
local function count(topic, version, result, n)
  local versions = results[topic] or {}
  local counts = versions[version] or {}
  results[topic], versions[version] = versions, counts
  counts[result] = (counts[result] or 0) + n
end

-- Ends the claim of a subscription, which waits for a version from now on.
local function finish(sub, topic, version)
  ended[#ended + 1] = sub
  local move = moved[topic]
  local n = #move
  move[n + 1], move[n + 2] = version, sub
end

local first, at = 4, 4 + claims -- the first subscription and the first argument of the group
while first < 4 + claims do
  local topic, fence, number, due, health, readers, result, outcome, size = unpack(ARGV, at, at + 8)
  local letter = at + 9
  at = outcome == 'dead' and letter + 5 or letter
  topic, fence, size = tonumber(topic), tonumber(fence), tonumber(size)
  if not newest[topic] then
    newest[topic], moved[topic] = tonumber(redis.call('HGET', KEYS[topic], 'version') or 0), {}
  end
  local version, held = tonumber(number), 0
  local behind = version < newest[topic] -- the next version is due now
  local last = math.max(newest[topic], version)
  local following = string.format(behind and '-%.0f' or '%.0f', version + 1)
  for i = first, first + size - 1 do
    local sub, attempts, claim = ARGV[i], ARGV[at + i - first], fences[i - 3]
    if not claim or tonumber(claim) ~= fence then
      lost = lost + 1
    else
      held = held + 1
      if attempts ~= '' then
        local n = #attempted
        attempted[n + 1], attempted[n + 2] = sub, attempts
      end
      if outcome == 'delivered' then
        if health ~= '' then redis.call('HDEL', KEYS[3], sub) end
        if readers ~= '' then redis.call('HSET', KEYS[5], sub, readers) end
        if behind then
          local n = #ready
          ready[n + 1], ready[n + 2] = 0, sub
          again = again + 1
        end
        finish(sub, topic, following)
      elseif outcome == 'dead' then
        redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[2], '*', 'subscription', sub, 'topic', ARGV[letter],
          'first', string.format('%.0f', version), 'last', string.format('%.0f', last), 'failures', ARGV[letter + 1],
          'since', ARGV[letter + 2], 'time', ARGV[1], 'status', ARGV[letter + 3], 'reason', ARGV[letter + 4])
        redis.call('HSET', KEYS[3], sub, health)
        finish(sub, topic, string.format('%.0f', last + 1))
      else
        if outcome == 'failed' then redis.call('HSET', KEYS[3], sub, health) end
        redis.call('ZADD', KEYS[2], due, sub)
      end
    end
  end
  if held > 0 and result ~= '' then count(topic, number, result, held) end
  if held > 0 and outcome == 'dead' then count(topic, number, outcome, held) end
  first, at = first + size, at + size
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
