-- answered returns the answer that a request of a person got before, marked as repeated; nothing: it got none. answer stores and returns one.
local function answered(request)
  local before = request and redis.call('GET', request)
  if not before then return end
  local same = cjson.decode(before)
  same[5] = '1'
  return same
end

local function answer(request, first)
  if request then redis.call('SET', request, cjson.encode(first), 'EX', 86400) end
  return first
end
