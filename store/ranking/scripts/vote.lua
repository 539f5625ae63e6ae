-- Sets votes of users on entries, and marks those whose votes changed. An entry becomes an article unless there is no vote to withdraw.
-- fragment groups
-- fragment article
-- KEYS 4 to 6 again for each further vote
-- ARGV 11 id of the user  12 up, down or none; 5 to 12 again for each further vote
-- returns for each vote 'removed', 'closed' or 'news', or 'open', the score, the votes and the upvotes, separated by spaces
local function vote(user, asked)
  if removed() then return 'removed' end
  if now > posted() + window then return 'closed' end
  if news then return 'news' end
  -- The author of a post withdraws the upvote with which it becomes an article.
  if asked == 'none' and not stored_time and ARGV[entry + 3] ~= 'user:' .. user then return 'open ' .. posted() .. ' 0 0' end
  create()
  local score = cast(user, asked)
  if score then signal_later() end
  return 'open ' .. (score or redis.call('ZSCORE', scores, member)) .. ' ' .. votes .. ' ' .. (upvotes or 0)
end

local results = {}
for first = 5, #ARGV, 8 do
  if first > 5 then open(4 + 3 * #results, first) end
  results[#results + 1] = vote(ARGV[first + 6], ARGV[first + 7])
end
return results
