-- score_of returns the score that follows from numbers of votes. Much voting on both sides counts extra.
local function score_of(up, down)
  local score, volume = up - down, math.floor(up / 2) + math.floor(down / 2)
  if volume > 10 then score = score + 2 * math.log(volume - 10) end
  return score
end

-- rank_of returns the rank of a score at an age in seconds.
local function rank_of(score, age)
  if age > 2592000 then return -age end
  return score * 1000000 / (age + 28800) ^ 1.1
end

-- rank computes score and rank of news, unless it is in no list.
local function rank(news, n, top, now)
  local is = redis.call('HMGET', news, 'up', 'down', 'ctime', 'del', 'state', 'held')
  if not is[3] or is[4] or is[5] == 'removed' or is[6] then return end
  local score = score_of(tonumber(is[1]), tonumber(is[2]))
  local text = string.format('%.17g', rank_of(score, math.max(0, now - is[3])))
  redis.call('HSET', news, 'score', string.format('%.17g', score), 'rank', text)
  redis.call('ZADD', top, text, n)
end
