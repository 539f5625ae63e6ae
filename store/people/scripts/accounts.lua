-- Reads accounts by their names.
-- KEYS 1 users.names
-- ARGV 1 beginning of the keys of ids by name  2 beginning of the keys of accounts  3… names
-- returns the fields and values of user:<id> for each name; none if there is no such account
local all = {}
for i = 3, #ARGV do
  local id = redis.call('GET', ARGV[1] .. ARGV[i])
  all[#all + 1] = id and redis.call('HGETALL', ARGV[2] .. id) or {}
end
return all
