-- Ends claims of deliveries. One that was lost to somebody else, or whose subscription is gone, is left alone.
-- KEYS 1 hub:ready  2 hub:later  3 hub:health  4 hub:dead, then for each topic: hub:topic:<topic>, hub:topic:<topic>:subs
-- ARGV 1 now  2 dead letters kept, then for each claim: subscription, place of its topic in KEYS, fence, version, next time,
--      health, outcome: 'delivered', 'failed', 'deferred', or 'dead' with five more: URL of the topic, failures and since
--      of it, status, reason
-- returns how many claims were lost, how many subscriptions have a next version to get
local lost, again, at = 0, 0, 3
while at <= #ARGV do
  local sub, topic, fence, version = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2], tonumber(ARGV[at + 3])
  local due, health, outcome, more = ARGV[at + 4], ARGV[at + 5], ARGV[at + 6], at + 7
  at = more
  if outcome == 'dead' then at = at + 5 end
  local next = tonumber(redis.call('ZSCORE', KEYS[topic + 1], sub) or 0)
  if next == 0 or tonumber(redis.call('ZSCORE', KEYS[2], sub) or 0) ~= tonumber(fence) then
    lost = lost + 1
  elseif outcome == 'delivered' then
    redis.call('HDEL', KEYS[3], sub)
    redis.call('ZREM', KEYS[2], sub)
    if version < tonumber(redis.call('HGET', KEYS[topic], 'version') or 0) then
      redis.call('ZADD', KEYS[topic + 1], string.format('-%.0f', version + 1), sub)
      redis.call('ZADD', KEYS[1], 0, sub)
      again = again + 1
    else
      redis.call('ZADD', KEYS[topic + 1], string.format('%.0f', version + 1), sub)
    end
  elseif outcome == 'dead' then
    local last = tonumber(redis.call('HGET', KEYS[topic], 'version') or version)
    redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[2], '*', 'subscription', sub, 'topic', ARGV[more],
      'first', string.format('%.0f', version), 'last', string.format('%.0f', last), 'failures', ARGV[more + 1],
      'since', ARGV[more + 2], 'time', ARGV[1], 'status', ARGV[more + 3], 'reason', ARGV[more + 4])
    redis.call('HSET', KEYS[3], sub, health)
    redis.call('ZREM', KEYS[2], sub)
    redis.call('ZADD', KEYS[topic + 1], string.format('%.0f', last + 1), sub)
  else
    if outcome == 'failed' then redis.call('HSET', KEYS[3], sub, health) end
    redis.call('ZADD', KEYS[2], due, sub)
  end
end
return {lost, again}
