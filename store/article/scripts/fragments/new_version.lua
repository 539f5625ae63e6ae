-- new_version sets a new version of a feed, in microseconds. A counter would return to the same number after a failover that lost
-- writes, or after a restore.
local function new_version(key)
  local at = redis.call('TIME')
  local last, now = tonumber(redis.call('GET', key) or '0'), at[1] * 1000000 + at[2]
  redis.call('SET', key, string.format('%.0f', math.max(last + 1, now)))
end
