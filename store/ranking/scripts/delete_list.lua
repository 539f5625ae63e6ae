-- Removes some entries of a list that editors arrange, and the list after the last one.
-- fragment groups
-- fragment arranged
-- KEYS 1 list:<name>  2 list:<name>:order  3 lists
-- ARGV 1 prefix  2 name of the list  3 version, '' for any  4 how many entries
-- returns 'none', 'changed', 'more' if entries are left, or 'deleted'
local refusal = refused(KEYS[1], ARGV[3])
if refusal then return refusal end
local members = redis.call('ZRANGE', KEYS[2], 0, ARGV[4] - 1)
for _, member in ipairs(members) do drop_name(ARGV[1] .. member, 'lists', ARGV[2]) end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, ARGV[4] - 1)
redis.call('HINCRBY', KEYS[1], 'version', 1)
if redis.call('EXISTS', KEYS[2]) == 1 then return 'more' end
redis.call('UNLINK', KEYS[1])
redis.call('SREM', KEYS[3], ARGV[2])
return 'deleted'
