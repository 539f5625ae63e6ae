-- count_hidden adds to the number of comments on news that only their author sees, and counts with the others.
local function count_hidden(news, author, by)
  if author == 0 then return end
  local field = 'hidden:' .. string.format('%d', author)
  if redis.call('HINCRBY', news, field, by) == 0 then redis.call('HDEL', news, field) end
end
