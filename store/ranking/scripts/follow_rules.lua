-- Makes an article a member of the groups whose rules select it, and removes it from those that it joined by rule and that do not select it now.
-- fragment groups
-- fragment article
-- KEYS 7 groups
-- ARGV 11 how many groups there may be  12 how many groups an article may have  13... names of the groups that select it
-- returns how many of them it could not join, because there are too many or a list has the name
if removed() or (#ARGV < 13 and redis.call('EXISTS', article) == 0) then return 0 end
local selected, refused = {}, 0
for i = 13, #ARGV do selected[ARGV[i]] = true end
for _, name in ipairs(names_in(article, 'by_rule')) do
  if not selected[name] then leave(name) end
end
for i = 13, #ARGV do
  local name = ARGV[i]
  if redis.call('SISMEMBER', prefix .. 'group:' .. name, member) == 0 and not has(names_in(article, 'not_by_rule'), name) then
    if cannot_join(KEYS[7], name, ARGV[11], ARGV[12]) then
      refused = refused + 1
    else
      join(KEYS[7], name)
      add_name(article, 'by_rule', name)
    end
  end
end
return refused
