-- Claims due deliveries, in the order of the ids of subscriptions, which is host by host. It skips the rest of a host that has
-- enough of them.
-- KEYS 1 hub:ready  2 hub:later  3 hub:paused  4 hub:claims  5 hub:subscriptions  6 hub:health  7 hub:replays
-- ARGV 1 now  2 fence  3 maximum, up to 1000  4 maximum of a host  5 subscription after which to begin, '' for the first  6 this daemon
--      7 start of the keys of topics  8… pairs of a host and its maximum
-- returns the subscription after which to continue, the lowest time of hub:later ('' for none), the fence, and lists with a value for each
--      claimed subscription: its id, its record, its health, the last version to replay, the next version (negative), and the newest
--      version if that replaces those before it
local now, fence, max, host_max, after = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local free = {}
for i = 8, #ARGV, 2 do free[ARGV[i]] = tonumber(ARGV[i + 1]) end

local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
if #due > 0 then
  local ready = {}
  for i, sub in ipairs(due) do ready[2 * i - 1], ready[2 * i] = 0, sub end
  redis.call('ZADD', KEYS[1], unpack(ready))
  redis.call('ZREM', KEYS[2], unpack(due))
end

local any_paused = redis.call('SCARD', KEYS[3]) > 0
local claimed, paused = {}, {}

local function walk(from, to)
  while #claimed < max do
    local page = redis.call('ZRANGEBYLEX', KEYS[1], from, to, 'LIMIT', 0, math.min(64, max))
    if #page == 0 then return end
    for _, sub in ipairs(page) do
      local host = sub:sub(1, 6)
      local left = free[host] or host_max
      from = '(' .. sub
      if left <= 0 then
        from = '(' .. host .. '~' -- if the page ends here: after all of this host
      elseif any_paused and redis.call('SISMEMBER', KEYS[3], sub) == 1 then
        paused[#paused + 1] = sub
      else
        claimed[#claimed + 1] = sub
        free[host] = left - 1
        if #claimed >= max then break end
      end
    end
  end
end
walk(after == '' and '-' or '(' .. after, '+')
if after ~= '' then walk('-', '[' .. after) end

for _, sub in ipairs(paused) do
  redis.call('ZREM', KEYS[1], sub)
  redis.call('ZADD', KEYS[2], '+inf', sub)
end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2] or ''
if #claimed == 0 then return {after, first, fence, {}, {}, {}, {}, {}, {}} end

redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
while redis.call('ZCOUNT', KEYS[4], fence, fence) > 0 do -- each claim has a fence of its own
  fence = string.format('%.3f', fence + 0.001)
end
redis.call('ZADD', KEYS[4], fence, fence .. ' ' .. ARGV[6])
local later = {}
for i, sub in ipairs(claimed) do later[2 * i - 1], later[2 * i] = fence, sub end
redis.call('ZADD', KEYS[2], unpack(later))
redis.call('ZREM', KEYS[1], unpack(claimed))

local records = redis.call('HMGET', KEYS[5], unpack(claimed))
local topics = {} -- indexes of their subscriptions
for i, record in ipairs(records) do
  local topic = record and record:match('"topic":"(.-)"')
  if topic then
    local own = topics[topic] or {}
    topics[topic], own[#own + 1] = own, i
  end
end
local next, newest = {}, {}
for i = 1, #claimed do next[i], newest[i] = '', '' end
for topic, own in pairs(topics) do
  local subs, key = {}, ARGV[7] .. topic
  for n, i in ipairs(own) do subs[n] = claimed[i] end
  local state = redis.call('HMGET', key, 'version', 'whole')
  local replacing = state[2] == '1' and state[1] or ''
  for n, version in ipairs(redis.call('ZMSCORE', key .. ':subs', unpack(subs))) do
    next[own[n]], newest[own[n]] = version, replacing
  end
end
return {claimed[#claimed], first, fence, claimed, records, redis.call('HMGET', KEYS[6], unpack(claimed)),
  redis.call('HMGET', KEYS[7], unpack(claimed)), next, newest}
