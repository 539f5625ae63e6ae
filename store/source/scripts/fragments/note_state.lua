-- read_state reads the fields of the meta of a source that note_state needs, and more fields behind them.
local function read_state(meta, ...)
  return redis.call('HMGET', meta, 'paused', 'gone', 'error_class', 'errors', ...)
end

-- note_state sets the score of a source in sched:unwell from what read_state returned, or removes it if the source is active. It returns
-- 1, or 0 if that changes nothing. It returns 0 if sched:unwell holds another type, which only counts: polls go on.
local function note_state(unwell, url, is)
  local score = is[1] == '1' and -1 or is[2] == '1' and 1000000 or (is[3] or '') ~= '' and (is[4] or 0)
  local changed = score and redis.pcall('ZADD', unwell, 'CH', score, url) or redis.pcall('ZREM', unwell, url)
  return type(changed) == 'number' and changed or 0
end
