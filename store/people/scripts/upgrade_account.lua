-- Rewrites an account of layout 2, with its sessions.
-- KEYS 1 account:<name>  2 accounts  3 account:<name>:sessions  4 account:<name>:known  5 username.to.id:<name>  6 users.count  7 staff
-- ARGV 1 name  2 beginning of the keys of accounts  3 beginning of the keys of sessions  4 the same in layout 2
--      5 TTL of known networks in seconds  6… known networks: time and network
-- returns 1, or 0 if it is rewritten already
local fields = redis.call('HGETALL', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[1])
if #fields == 0 then return 0 end
local id = redis.call('INCR', KEYS[6])
local account = ARGV[2] .. id
local renamed = {name = 'username', created = 'ctime', role = 'flags'}
local flags = {admin = 'a', editor = 'e', viewer = 'v', reader = 'v'} -- reader: a viewer in the first versions
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'role' then value = flags[value] or '' end
  redis.call('HSET', account, renamed[name] or name, value)
end
redis.call('HSET', account, 'id', id)
redis.call('SET', KEYS[5], id)
redis.call('SADD', KEYS[7], id)

local sessions = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
for i = 1, #sessions, 2 do
  local old = ARGV[4] .. sessions[i]
  local ttl = redis.call('PTTL', old)
  if ttl > 0 then
    local sum = string.sub(sessions[i], 1, 40)
    redis.call('RENAME', old, ARGV[3] .. sum .. ':session')
    redis.call('HDEL', ARGV[3] .. sum .. ':session', 'account')
    redis.call('SET', ARGV[3] .. sum, id, 'PX', ttl)
    redis.call('ZADD', account .. ':sessions', sessions[i + 1], sum)
  end
end
if #sessions > 0 then redis.call('PEXPIRE', account .. ':sessions', redis.call('PTTL', KEYS[3])) end
for i = 6, #ARGV, 2 do redis.call('ZADD', account .. ':known', ARGV[i], ARGV[i + 1]) end
if #ARGV > 5 then redis.call('EXPIRE', account .. ':known', ARGV[5]) end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
return 1
