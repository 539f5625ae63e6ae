-- names_in returns the names in a field of an article, which are separated by commas.
local function names_in(article, field)
  local names = {}
  for name in string.gmatch(redis.call('HGET', article, field) or '', '[^,]+') do names[#names + 1] = name end
  return names
end

-- has reports whether a list contains a name.
local function has(names, name)
  for _, one in ipairs(names) do
    if one == name then return true end
  end
  return false
end

-- add_name adds a name to those in a field.
local function add_name(article, field, name)
  local names = names_in(article, field)
  if has(names, name) then return end
  names[#names + 1] = name
  redis.call('HSET', article, field, table.concat(names, ','))
end

-- drop_name removes a name from those in a field.
local function drop_name(article, field, name)
  local names, rest = names_in(article, field), {}
  for _, one in ipairs(names) do
    if one ~= name then rest[#rest + 1] = one end
  end
  if #rest == #names then return end
  if #rest > 0 then
    redis.call('HSET', article, field, table.concat(rest, ','))
  else
    redis.call('HDEL', article, field)
  end
end
