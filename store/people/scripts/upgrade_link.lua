-- Rewrites a one-time link of layout 2, which held the name of its account.
-- KEYS 1 link:<hash>
-- ARGV 1 beginning of the keys username.to.id:<name>
-- returns 1
local whose = redis.call('GET', KEYS[1])
if whose and whose ~= '' and not string.find(whose, ':') then
  local id = redis.call('GET', ARGV[1] .. whose)
  if id then redis.call('SET', KEYS[1], 'user:' .. id, 'KEEPTTL') else redis.call('DEL', KEYS[1]) end
end
return 1
