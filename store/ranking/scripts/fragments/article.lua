-- KEYS 1 time:  2 score:  3 article:  4 article:<n>  5 upvoted:<n>  6 downvoted:<n>
-- ARGV 1 prefix  2 weight of a vote  3 seconds in which users vote  4 seconds for which their votes are stored  5 the member, "article:<n>"
--      6 now  7 time of the entry, if it is no article yet  8 its title  9 its link  10 its author
local times, scores, count = unpack(KEYS, 1, 3)
local prefix, weight, window, stored = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local worth = {up = 1, down = -1, none = 0}
local article, up, down, member, now, entry -- the arguments from entry on describe the entry
local stored_del, stored_time, votes, upvotes, memberships, news, unsignalled

-- open makes the functions below change an article. Its keys begin at one of KEYS, its arguments at one of ARGV.
local function open(key, argument)
  article, up, down = KEYS[key], KEYS[key + 1], KEYS[key + 2]
  member, now, entry = ARGV[argument], tonumber(ARGV[argument + 1]), argument + 2
  stored_del, stored_time, votes, upvotes, memberships, news, unsignalled =
    unpack(redis.call('HMGET', article, 'del', 'time', 'votes', 'up', 'groups', 'news', 'unsignalled'))
end
open(4, 5)

-- removed reports whether the entry was taken down.
local function removed() return stored_del and true end

-- posted returns the time of the article.
local function posted() return stored_time or ARGV[entry] end

-- orders_of returns the keys of the order of a group: the complete one, and the one that build_order computes.
local function orders_of(name) return {prefix .. 'score:' .. name, prefix .. 'score:' .. name .. ':build'} end

-- replace replaces the vote of a user in the sets, and returns the one before.
local function replace(user, asked)
  if asked == 'none' then
    if redis.call('SREM', up, user) == 1 then return 'up' end
    return redis.call('SREM', down, user) == 1 and 'down' or 'none'
  end
  local to, from, other = up, down, 'down'
  if asked == 'down' then to, from, other = down, up, 'up' end
  if redis.call('SMOVE', from, to, user) == 1 then return other end
  return redis.call('SADD', to, user) == 1 and 'none' or asked
end

-- cast replaces the vote of the account with a number. It returns the score, if that changed.
local function cast(id, asked)
  local voted, held = prefix .. 'voted:' .. id, replace('user:' .. id, asked)
  if asked == held then return end
  votes = (votes or 0) + worth[asked] - worth[held]
  if asked == 'up' or held == 'up' then
    upvotes = upvotes and upvotes + (asked == 'up' and 1 or -1) or redis.call('SCARD', up)
    redis.call('HSET', article, 'votes', votes, 'up', upvotes) -- up is stored, because the set expires
  else
    redis.call('HSET', article, 'votes', votes)
  end
  local score = string.format('%.17g', posted() + weight * votes) -- a sum of many increments would be inexact
  redis.call('ZADD', scores, score, member)
  for name in string.gmatch(memberships or '', '[^,]+') do
    for _, order in ipairs(orders_of(name)) do redis.call('ZADD', order, 'XX', score, member) end
  end
  if asked == 'none' then
    redis.call('ZREM', voted, member)
  else
    redis.call('EXPIRE', asked == 'up' and up or down, math.ceil(posted() + stored - now)) -- a set that was empty has no TTL
    redis.call('ZADD', voted, math.floor(now), member) -- Redis parses each fraction of a small set
    if held == 'none' then redis.call('ZREMRANGEBYSCORE', voted, '-inf', now - stored) end
    redis.call('EXPIRE', voted, stored)
  end
  return score
end

-- signal_later marks the article, whose votes changed, for signal_votes.
local function signal_later()
  if unsignalled then return end
  redis.call('HSET', article, 'unsignalled', 1) -- the next vote reads it with the article
  redis.call('ZADD', prefix .. 'votes:unsignalled', now, member)
end

-- create makes the entry an article, unless it is one.
local function create()
  if stored_time or stored_del then return end
  stored_time, votes = ARGV[entry], 0
  redis.call('HSET', article, 'time', ARGV[entry], 'title', ARGV[entry + 1], 'link', ARGV[entry + 2], 'author', ARGV[entry + 3], 'votes', 0)
  redis.call('INCR', count)
  redis.call('ZADD', times, ARGV[entry], member)
  redis.call('ZADD', scores, ARGV[entry], member)
  local author = string.match(ARGV[entry + 3], '^user:(%d+)$')
  if author then cast(author, 'up') end
end

-- cannot_join returns why the article cannot join a group: 'groups' or 'groups of the article' if there are too many, 'list' if editors arrange the
-- list with that name. It returns nil if it can.
local function cannot_join(groups, name, most, most_of)
  if redis.call('SISMEMBER', groups, name) == 0 then
    if redis.call('EXISTS', prefix .. 'list:' .. name) == 1 then return 'list' end
    if redis.call('SCARD', groups) >= tonumber(most) then return 'groups' end
  end
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
