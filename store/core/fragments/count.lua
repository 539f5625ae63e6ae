-- count adds to what has happened in a minute, whose key is activity:<n>: pairs of a name and how often. It ignores a key of another
-- type, because the key only counts and its minute ends.
local function count(key, ...)
  local pairs_of = {...}
  for i = 1, #pairs_of, 2 do
    local n = pairs_of[i + 1]
    if n > 0 and redis.pcall('HINCRBY', key, pairs_of[i], n) == n then redis.call('EXPIRE', key, 7200) end -- the first of the minute
  end
end
