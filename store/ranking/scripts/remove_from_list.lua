-- Removes an entry from a list that editors arrange.
-- fragment groups
-- fragment arranged
-- fragment article
-- KEYS 7 list:<name>  8 list:<name>:order
-- ARGV 11 name of the list  12 its version, '' for any
-- returns 'none', 'changed', 'same' or 'removed'
local refusal = refused(KEYS[7], ARGV[12])
if refusal then return refusal end
if redis.call('ZREM', KEYS[8], member) == 0 then return 'same' end
drop_name(article, 'lists', ARGV[11])
redis.call('HINCRBY', KEYS[7], 'version', 1)
return 'removed'
