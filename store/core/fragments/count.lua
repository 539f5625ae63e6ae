-- count adds to what has happened in a minute, whose key is activity:<n>: pairs of a name and how often. It ignores a key of another
-- type, because the key only counts and its minute ends.
local function count(key, ...)
  local pairs_of, some = {...}, false
  for i = 1, #pairs_of, 2 do
    if pairs_of[i + 1] > 0 then
      redis.pcall('HINCRBY', key, pairs_of[i], pairs_of[i + 1])
      some = true
    end
  end
  if some then redis.call('EXPIRE', key, 7200) end
end
