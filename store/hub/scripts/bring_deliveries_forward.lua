-- Brings deliveries forward that were planned before the clock was set back.
-- KEYS 1 hub:later  2 hub:health
-- ARGV 1 now  2 the latest end of a claim  3 the latest time that is not in the future  4 how many to skip  5 maximum to read
-- returns how many were brought forward, and how many were not
local now, moved, kept = tonumber(ARGV[1]), 0, 0
for _, sub in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '(+inf', 'LIMIT', ARGV[4], ARGV[5])) do
  local text = redis.call('HGET', KEYS[2], sub)
  local health = text and cjson.decode(text)
  if health and health.last <= ARGV[3] * 1000 then
    kept = kept + 1
  else
    local due = now -- claimed by a daemon that has ended
    if health then -- failed before: its failures were earlier by as much as its next try is now
      local back = health.last - math.floor(now * 1000)
      due = redis.call('ZSCORE', KEYS[1], sub) - back / 1000
      health.last, health.since = health.last - back, health.since - back
      redis.call('HSET', KEYS[2], sub, cjson.encode(health))
    end
    redis.call('ZADD', KEYS[1], string.format('%.3f', due), sub)
    moved = moved + 1
  end
end
return {moved, kept}
