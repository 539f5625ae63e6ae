-- forget_request deletes a request that was granted, and the earlier requests of its subscription, which it overrides.
-- KEYS 1 hub:requests  2 hub:verify
local function forget_request(id, value, subscription)
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
  local created = tonumber(value:match('\n(%S+)'))
  for n = 1, 9 do
    local older = subscription .. '.' .. n
    local other = redis.call('HGET', KEYS[1], older)
    if other and tonumber(other:match('\n(%S+)')) < created then
      redis.call('HDEL', KEYS[1], older)
      redis.call('ZREM', KEYS[2], older)
    end
  end
end
