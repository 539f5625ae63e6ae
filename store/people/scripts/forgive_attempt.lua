-- Removes a sign-in that succeeded from the counts of count_attempt. Earlier failures stay counted.
-- KEYS 1… attempts:<whose>
-- returns 1
for _, key in ipairs(KEYS) do
  if (tonumber(redis.call('HGET', key, 'count')) or 0) > 0 then
    redis.call('HINCRBY', key, 'count', -1)
    redis.call('HDEL', key, 'until')
  end
end
return 1
