-- new_version gives a feed another version where what it shows has changed: microseconds, so that a number is not given twice
-- for two states of it. A count would come to the same one again after a fail-over that lost some, or on a backup.
local function new_version(key)
  local at = redis.call('TIME')
  local last, now = tonumber(redis.call('GET', key) or '0'), at[1] * 1000000 + at[2]
  redis.call('SET', key, string.format('%.0f', math.max(last + 1, now)))
end
