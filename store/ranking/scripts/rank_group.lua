-- Reads a page of a group by score, and computes its order if it is not stored and the group is small; or of a list that editors arrange.
-- KEYS 1 group:<name>  2 score:  3 score:<name>  4 score:<name>:empty  5 list:<name>  6 list:<name>:order
-- ARGV 1 score of the cursor; '' for the start  2 its member  3 how many  4 seconds for which the order is stored  5 members beyond which it
--      does not expire
-- returns members with scores, best first; or 'large' if build_order must compute the order first
local group, ranked, empty, score = KEYS[1], KEYS[3], KEYS[4], ARGV[1]
local arranged = redis.call('EXISTS', KEYS[5]) == 1
local large = redis.call('SCARD', group) > tonumber(ARGV[5])
if arranged then
  ranked = KEYS[6]
elseif redis.call('EXISTS', ranked) == 0 then
  if redis.call('EXISTS', empty) == 1 then return {} end
  if large then return 'large' end
  -- The members of a set have the score 1. WEIGHTS drops it, which MAX would not for scores below 1.
  if redis.call('ZINTERSTORE', ranked, 2, group, KEYS[2], 'WEIGHTS', 0, 1, 'AGGREGATE', 'SUM') == 0 then
    redis.call('SET', empty, 1, 'EX', ARGV[4])
    return {}
  end
end
if large then
  redis.call('PERSIST', ranked)
elseif not arranged and redis.call('TTL', ranked) == -1 then
  redis.call('EXPIRE', ranked, ARGV[4])
end
local start = 0
if score ~= '' then
  start = redis.call('ZCOUNT', ranked, '(' .. score, '+inf')
  local last = start + redis.call('ZCOUNT', ranked, score, score)
  while start < last do -- look for the first one with this score that comes after the cursor
    local middle = math.floor((start + last) / 2)
    if redis.call('ZREVRANGE', ranked, middle, middle)[1] < ARGV[2] then last = middle else start = middle + 1 end
  end
end
return redis.call('ZREVRANGE', ranked, start, start + ARGV[3] - 1, 'WITHSCORES')
