-- queue_deliveries queues up to max subscriptions of a topic that have a version to deliver, up to the given one, and returns how many.
-- It needs no cursor: a queued subscription has a negative score, so it is not found again.
local function queue_deliveries(ready_key, subs_key, version, max)
  local found = redis.call('ZRANGEBYSCORE', subs_key, '(0', version, 'WITHSCORES', 'LIMIT', 0, max)
  if #found == 0 then return 0 end
  local subs, ready = {}, {}
  for i = 1, #found, 2 do
    subs[i], subs[i + 1] = '-' .. found[i + 1], found[i]
    ready[i], ready[i + 1] = 0, found[i]
  end
  redis.call('ZADD', subs_key, unpack(subs))
  redis.call('ZADD', ready_key, unpack(ready))
  return #found / 2
end
