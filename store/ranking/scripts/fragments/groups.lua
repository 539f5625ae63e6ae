-- groups_of returns the names of the groups of an article.
local function groups_of(article)
  local names = {}
  for name in string.gmatch(redis.call('HGET', article, 'groups') or '', '[^,]+') do names[#names + 1] = name end
  return names
end

-- leave_group removes a name from the groups of an article.
local function leave_group(article, left)
  local rest = {}
  for _, name in ipairs(groups_of(article)) do
    if name ~= left then rest[#rest + 1] = name end
  end
  if #rest > 0 then
    redis.call('HSET', article, 'groups', table.concat(rest, ','))
  else
    redis.call('HDEL', article, 'groups')
  end
end
