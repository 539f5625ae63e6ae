-- note_state gives a source its place in sched:unwell, from what its meta says: paused, gone, failing, or well and in none.
local function note_state(unwell, url, meta)
  local is = redis.call('HMGET', meta, 'paused', 'gone', 'error_class', 'errors')
  local score = is[1] == '1' and -1 or is[2] == '1' and 1000000 or (is[3] or '') ~= '' and (is[4] or 0)
  if score then redis.call('ZADD', unwell, score, url) else redis.call('ZREM', unwell, url) end
end
