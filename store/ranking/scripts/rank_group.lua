-- Reads a page of a group by score, and computes its order if it is not stored.
-- KEYS 1 group:<name>  2 score:  3 score:<name>  4 score:<name>:empty
-- ARGV 1 score of the cursor; '' for the start  2 its member  3 how many  4 seconds for which the order is stored  5 members beyond which it
--      does not expire
-- returns members with scores, best first
local group, ranked, empty, score = KEYS[1], KEYS[3], KEYS[4], ARGV[1]
if redis.call('EXISTS', ranked) == 0 then
  if redis.call('EXISTS', empty) == 1 then return {} end
  -- The members of a set have the score 1. WEIGHTS drops it, which MAX would not for scores below 1.
  if redis.call('ZINTERSTORE', ranked, 2, group, KEYS[2], 'WEIGHTS', 0, 1, 'AGGREGATE', 'SUM') == 0 then
    redis.call('SET', empty, 1, 'EX', ARGV[4])
    return {}
  end
end
if redis.call('SCARD', group) > tonumber(ARGV[5]) then
  redis.call('PERSIST', ranked)
elseif redis.call('TTL', ranked) == -1 then
  redis.call('EXPIRE', ranked, ARGV[4])
end
local page, below = {}, '+inf'
if score ~= '' then
  below = '(' .. score
  for _, tie in ipairs(redis.call('ZREVRANGEBYSCORE', ranked, score, score)) do
    if tie < ARGV[2] and #page < 2 * ARGV[3] then
      page[#page + 1] = tie
      page[#page + 1] = score
    end
  end
end
local rest = redis.call('ZREVRANGEBYSCORE', ranked, below, '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3] - #page / 2)
for _, word in ipairs(rest) do page[#page + 1] = word end
return page
