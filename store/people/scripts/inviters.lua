-- Reads who invited an account, who invited that one and so on.
-- KEYS 1 users.invited
-- ARGV 1 <id>  2 how many at most
-- returns their <id>, the nearest first
local all, id = {}, ARGV[1]
for _ = 1, tonumber(ARGV[2]) do
  id = redis.call('HGET', KEYS[1], id)
  if not id then break end
  all[#all + 1] = id
end
return all
