-- Removes some members of a group, and the group after the last one.
-- KEYS 1 group:<name>  2 groups  3 score:<name>  4 score:<name>:build  5 score:<name>:empty
-- ARGV 1 prefix  2 name of the group  3 how many members
-- returns how many were removed
-- fragment groups
local members = redis.call('SPOP', KEYS[1], ARGV[3])
for _, member in ipairs(members) do
  for _, field in ipairs({'groups', 'by_rule'}) do drop_name(ARGV[1] .. member, field, ARGV[2]) end
end
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[2]) end
return #members
