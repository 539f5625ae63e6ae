-- Removes an article from a group, which it does not join by rule again.
-- fragment groups
-- fragment article
-- ARGV 11 name of the group  12 how many such groups are remembered
-- returns 1
if not has(names_in(article, 'groups'), ARGV[11]) then return 1 end
leave(ARGV[11])
local kept = names_in(article, 'not_by_rule')
if #kept >= tonumber(ARGV[12]) then drop_name(article, 'not_by_rule', kept[1]) end
add_name(article, 'not_by_rule', ARGV[11])
return 1
