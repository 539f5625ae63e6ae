-- Removes an account from a comment: as its author, and from those who voted on it.
-- fragment count_hidden
-- fragment put_comment
-- KEYS 1 thread:comment:<n>  2 user.comments:<id>  3 voted.comments:<id>  4 news:<n>
-- ARGV 1 number of the comment  2 <id>  3 "<n>-<number of the comment>"
-- returns 1
local text, user = redis.call('HGET', KEYS[1], ARGV[1]), tonumber(ARGV[2])
if text then
  local comment = cjson.decode(text)
  if comment.user_id == user then
    if comment.state == 'hidden' and not comment.del then count_hidden(KEYS[4], user, -1) end
    comment.user_id = 0
  end
  for _, way in ipairs({'up', 'down'}) do
    local rest = {}
    for _, id in ipairs(comment[way] or {}) do
      if id ~= user then rest[#rest + 1] = id end
    end
    comment[way] = #rest > 0 and rest or nil -- an empty table would become an object
  end
  put_comment(KEYS[4], KEYS[1], ARGV[1], comment)
end
redis.call('ZREM', KEYS[2], ARGV[3])
redis.call('ZREM', KEYS[3], ARGV[3])
return 1
