-- Stores the size of the document of an open topic. It returns false if the documents of all topics would have too many bytes.
local function reserve_bytes(key, topic, bytes, max)
  local more = bytes - (redis.call('HGET', key, topic) or 0)
  if more > 0 and (redis.call('HGET', key, 'all') or 0) + more > tonumber(max) then return false end
  redis.call('HSET', key, topic, bytes)
  redis.call('HINCRBY', key, 'all', more)
  return true
end
