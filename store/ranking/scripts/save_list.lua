-- Creates a list of editors, or changes what it is called and searches for.
-- KEYS 1 lists  2 groups  3 list:<name>
-- ARGV 1 name  2 title  3 description  4 version; '' for any, 'new' if the list must not exist  5 now  6 how many lists there may be
--      7 query of a saved search, ''
-- returns 'changed', 'group' if a group has the name, 'lists' if there are too many, 'kind' if only one of the list and ARGV has a query,
--      'same', or 'saved'
local list, version = KEYS[3], redis.call('HGET', KEYS[3], 'version')
if ARGV[4] ~= '' and ARGV[4] ~= (version or 'new') then return 'changed' end
if not version then
  if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 'group' end
  if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[6]) then return 'lists' end
  redis.call('SADD', KEYS[1], ARGV[1])
  redis.call('HSET', list, 'version', string.format('%.0f', ARGV[5] * 1000)) -- a list that is created again has no version of the former one
else
  local query = redis.call('HGET', list, 'query') or ''
  if (query == '') ~= (ARGV[7] == '') then return 'kind' end
  if redis.call('HGET', list, 'title') == ARGV[2] and redis.call('HGET', list, 'description') == ARGV[3] and query == ARGV[7] then return 'same' end
end
redis.call('HSET', list, 'title', ARGV[2], 'description', ARGV[3])
if ARGV[7] ~= '' then redis.call('HSET', list, 'query', ARGV[7]) end
redis.call('HINCRBY', list, 'version', 1)
return 'saved'
