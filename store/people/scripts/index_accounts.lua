-- Adds accounts to the index of names.
-- KEYS 1 users.names
-- ARGV 1 beginning of the keys of accounts  2… <id> of accounts
-- returns 1
for i = 2, #ARGV do
  local name = redis.call('HGET', ARGV[1] .. ARGV[i], 'username')
  if name then redis.call('ZADD', KEYS[1], 0, name) end
end
return 1
