-- Adds an entry to a group, in which it stays whatever the rules say. It becomes an article.
-- fragment groups
-- fragment article
-- KEYS 7 groups
-- ARGV 11 name of the group  12 how many groups there may be  13 how many groups an article may have
-- returns 'removed', 'groups' or 'groups of the article' if there are too many, 'list' if a list has the name, or 'added'
local name = ARGV[11]
if removed() then return 'removed' end
if redis.call('SISMEMBER', prefix .. 'group:' .. name, member) == 0 then
  local refused = cannot_join(KEYS[7], name, ARGV[12], ARGV[13])
  if refused then return refused end
  join(KEYS[7], name)
end
drop_name(article, 'by_rule', name)
drop_name(article, 'not_by_rule', name)
return 'added'
