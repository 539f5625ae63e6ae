-- KEYS 1 article:<n>  2 upvoted:<n>  3 downvoted:<n>  4 time:  5 score:  6 article:
-- ARGV 1 prefix  2 the member, "article:<n>"  3 now  4 weight of a vote  5 seconds in which users vote  6 seconds for which their votes are
--      stored  7 time of the entry, if it is no article yet  8 its title  9 its link  10 its author
local article, up, down, times, scores, count = unpack(KEYS, 1, 6)
local prefix, member, now, weight, window, stored = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local worth = {up = 1, down = -1, none = 0}

local stored_del, stored_time = unpack(redis.call('HMGET', article, 'del', 'time'))

-- removed reports whether the entry was taken down.
local function removed() return stored_del and true end

-- posted returns the time of the article.
local function posted() return stored_time or ARGV[7] end

-- vote_of returns the vote of a user.
local function vote_of(user)
  if redis.call('SISMEMBER', up, user) == 1 then return 'up' end
  if redis.call('SISMEMBER', down, user) == 1 then return 'down' end
  return 'none'
end

-- orders_of returns the keys of the order of a group: the complete one, and the one that build_order computes.
local function orders_of(name) return {prefix .. 'score:' .. name, prefix .. 'score:' .. name .. ':build'} end

-- cast replaces the vote of the account with a number.
local function cast(id, asked)
  local user, voted, sets = 'user:' .. id, prefix .. 'voted:' .. id, {up = up, down = down}
  local held = vote_of(user)
  if asked == held then return end
  if held == 'none' then
    redis.call('SADD', sets[asked], user)
  elseif asked == 'none' then
    redis.call('SREM', sets[held], user)
  else
    redis.call('SMOVE', sets[held], sets[asked], user)
  end
  local votes = redis.call('HINCRBY', article, 'votes', worth[asked] - worth[held])
  if asked == 'up' or held == 'up' then redis.call('HSET', article, 'up', redis.call('SCARD', up)) end -- the set expires
  local score = string.format('%.17g', posted() + weight * votes) -- a sum of many increments would be inexact
  redis.call('ZADD', scores, score, member)
  for _, name in ipairs(names_in(article, 'groups')) do
    for _, order in ipairs(orders_of(name)) do redis.call('ZADD', order, 'XX', score, member) end
  end
  if asked == 'none' then
    redis.call('ZREM', voted, member)
  else
    redis.call('EXPIRE', sets[asked], math.ceil(posted() + stored - now)) -- a set that was empty has no TTL
    redis.call('ZADD', voted, now, member)
    if held == 'none' then redis.call('ZREMRANGEBYSCORE', voted, '-inf', now - stored) end
    redis.call('EXPIRE', voted, stored)
  end
end

-- create makes the entry an article, unless it is one.
local function create()
  if stored_time or stored_del then return end
  stored_time = ARGV[7]
  redis.call('HSET', article, 'time', ARGV[7], 'title', ARGV[8], 'link', ARGV[9], 'author', ARGV[10], 'votes', 0)
  redis.call('INCR', count)
  redis.call('ZADD', times, ARGV[7], member)
  redis.call('ZADD', scores, ARGV[7], member)
  local author = string.match(ARGV[10], '^user:(%d+)$')
  if author then cast(author, 'up') end
end

-- too_many returns 'groups' or 'groups of the article' if there are too many for the article to join one, or nil.
local function too_many(groups, name, most, most_of)
  if redis.call('SISMEMBER', groups, name) == 0 and redis.call('SCARD', groups) >= tonumber(most) then return 'groups' end
  if #names_in(article, 'groups') >= tonumber(most_of) then return 'groups of the article' end
end

-- join makes the entry a member of a group, which exists from then on. It becomes an article.
local function join(groups, name)
  create()
  add_name(article, 'groups', name)
  redis.call('SADD', prefix .. 'group:' .. name, member)
  redis.call('SADD', groups, name)
  redis.call('UNLINK', prefix .. 'score:' .. name .. ':empty')
  for _, order in ipairs(orders_of(name)) do
    if redis.call('EXISTS', order) == 1 then redis.call('ZADD', order, redis.call('ZSCORE', scores, member), member) end
  end
end

-- leave ends the membership of the article in a group.
local function leave(name)
  redis.call('SREM', prefix .. 'group:' .. name, member)
  for _, order in ipairs(orders_of(name)) do redis.call('ZREM', order, member) end
  drop_name(article, 'groups', name)
  drop_name(article, 'by_rule', name)
end
