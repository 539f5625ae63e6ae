-- Stores the results of deliveries and ends their claims. A result whose claim was lost, or whose subscription has ended, is
-- ignored.
-- KEYS 1 hub:ready  2 hub:later  3 hub:health  4 hub:dead  5 hub:readers  6 hub:attempts  7… for each topic: hub:topic:<topic>,
--      hub:topic:<topic>:subs, hub:topic:<topic>:versions
-- ARGV 1 now  2 maximum of dead letters  3 the time in seconds before which attempts are too old  4 number of results  5… the
--      subscription of each result, in the order of the groups, then for each group of results that differ in their attempts only: index
--      of its topic in KEYS, fence, version, next time, health ('' to leave it as it is), readers ('' if not reported), result of the
--      attempt ('' if there was none), outcome: 'delivered', 'failed', 'deferred', or 'dead', how many attempts of each subscription are
--      stored, its size, for 'dead' five more: URL of the topic, failures, since, status, reason; then of each result: the line of the
--      attempt ('' to store none)
-- returns how many claims were lost, how many subscriptions have a next version that is due now
local oldest, claims = ARGV[3], tonumber(ARGV[4])
local fences = redis.call('ZMSCORE', KEYS[2], unpack(ARGV, 5, 4 + claims))
local newest, moved = {}, {}    -- by index of the topic: its version; arguments of ZADD
local ended, ready = {}, {}     -- subscriptions that leave hub:later; arguments of ZADD
local tried, attempts, stored = {}, {}, {} -- subscriptions with an attempt, its line, how many are stored
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

-- Puts an attempt before those of earlier, of which it leaves the newest ones. Three successes in a row are enough: the failures
-- before them tell more.
local function add(attempt, earlier, max)
  if attempt:find(' 2xx\n', 1, true) then
    local two, rest = earlier:match('^([^\n]* 2xx\n[^\n]* 2xx\n)[^\n]* 2xx\n(.*)$')
    earlier = two and two .. rest or earlier
  end
  local last = 0
  for _ = 2, max do
    local stop = earlier:find('\n', last + 1, true)
    if not stop or earlier:sub(last + 1, last + #oldest) < oldest then break end
    last = stop
  end
  return attempt .. earlier:sub(1, last)
end

local first, at = 5, 5 + claims -- the first subscription and the first argument of the group
while first < 5 + claims do
  local topic, fence, number, due, health, readers, result, outcome, max, size = unpack(ARGV, at, at + 9)
  local letter = at + 10
  at = outcome == 'dead' and letter + 5 or letter
  topic, fence, max, size = tonumber(topic), tonumber(fence), tonumber(max), tonumber(size)
  if not newest[topic] then
    newest[topic], moved[topic] = tonumber(redis.call('HGET', KEYS[topic], 'version') or 0), {}
  end
  local version, held = tonumber(number), 0
  local behind = version < newest[topic] -- the next version is due now
  local last = math.max(newest[topic], version)
  local following = string.format(behind and '-%.0f' or '%.0f', version + 1)
  for i = first, first + size - 1 do
    local sub, attempt, claim = ARGV[i], ARGV[at + i - first], fences[i - 4]
    if not claim or tonumber(claim) ~= fence then
      lost = lost + 1
    else
      held = held + 1
      if attempt ~= '' then
        local n = #tried + 1
        tried[n], attempts[n], stored[n] = sub, attempt, max
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
if #tried > 0 then
  local values = {}
  for i, earlier in ipairs(redis.call('HMGET', KEYS[6], unpack(tried))) do
    values[2 * i - 1], values[2 * i] = tried[i], add(attempts[i], earlier or '', stored[i])
  end
  redis.call('HSET', KEYS[6], unpack(values))
end
if #ended > 0 then redis.call('ZREM', KEYS[2], unpack(ended)) end
if #ready > 0 then redis.call('ZADD', KEYS[1], unpack(ready)) end
return {lost, again}
