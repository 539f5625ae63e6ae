-- Creates versions of topics that have subscriptions, and moves the cursor of the hub with them.
-- KEYS 1 hub:cursor  2 hub:planning  3… for each distribution: hub:topic:<topic>, hub:topic:<topic>:subs
-- ARGV 1 current cursor, '' for none  2 new cursor; '' does not move it, and creates a version only if its type or sum differs
--      from the newest one  3 now  4 TTL in seconds of a body that a newer one replaces
--      5… for each distribution: topic, start of the keys of its bodies, type, sum, 1 if whole else '', entries, body
-- returns the number of versions created, -1 if the cursor has another value
local from, to, now, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if to ~= '' then
  local cursor = redis.call('GET', KEYS[1]) or ''
  if cursor == to then return 0 end
  if cursor ~= from then return -1 end
end
local made = 0
for i = 3, #KEYS, 2 do
  local a = 5 + (i - 3) / 2 * 7
  local topic, bodies, typ, sum, whole = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4]
  local newest = redis.call('HMGET', KEYS[i], 'version', 'type', 'sum')
  if newest[1] and redis.call('ZCARD', KEYS[i + 1]) > 0 and (to ~= '' or newest[2] ~= typ or newest[3] ~= sum) then
    local version = string.format('%.0f', tonumber(newest[1]) + 1)
    redis.call('EXPIRE', bodies .. newest[1], ttl)
    redis.call('HSET', bodies .. version, 'type', typ, 'body', ARGV[a + 6], 'entries', ARGV[a + 5], 'time', now)
    redis.call('HSET', KEYS[i], 'version', version, 'changed', now, 'type', typ, 'sum', sum, 'whole', whole)
    redis.call('ZADD', KEYS[2], 'NX', now, topic)
    made = made + 1
  end
end
if to ~= '' then redis.call('SET', KEYS[1], to) end
return made
