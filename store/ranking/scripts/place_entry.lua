-- Adds an entry to a list that editors arrange, or moves it. It becomes an article.
-- fragment groups
-- fragment arranged
-- fragment article
-- KEYS 7 list:<name>  8 list:<name>:order
-- ARGV 11 name of the list  12 its version, '' for any  13 the member that is to follow, or ''  14 position from 1, or 0  15 how many entries a list
--      may have  16 how many lists an article may be in
-- returns 'none' or 'changed'; 'search' if the list is a saved search; 'removed'; 'entries' or 'lists' if there are too many; 'before' if the list does not have the member that is to
--      follow; 'same'; or 'placed'
local list, order, name, before, position = KEYS[7], KEYS[8], ARGV[11], ARGV[13], tonumber(ARGV[14])
local refusal = refused(list, ARGV[12])
if refusal then return refusal end
if redis.call('HEXISTS', list, 'query') == 1 then return 'search' end
if removed() then return 'removed' end
local size, held = redis.call('ZCARD', order), redis.call('ZREVRANK', order, member)
local target = math.max(position, 1) - 1 -- the rank among the others, from 0
if before ~= '' then
  target = redis.call('ZREVRANK', order, before)
  if not target then return 'before' end
  if held and held < target then target = target - 1 end
elseif held and position == 0 then
  return 'same'
end
if held then
  target = math.min(target, size - 1)
  if before == member or held == target then return 'same' end
  redis.call('ZREM', order, member)
else
  if size >= tonumber(ARGV[15]) then return 'entries' end
  if #names_in(article, 'lists') >= tonumber(ARGV[16]) then return 'lists' end
  target = math.min(target, size)
  create()
  add_name(article, 'lists', name)
end

-- score_at returns the score of the entry at a rank, or nil.
local function score_at(rank)
  return rank >= 0 and tonumber(redis.call('ZREVRANGE', order, rank, rank, 'WITHSCORES')[2]) or nil
end

local above, below = score_at(target - 1), score_at(target)
if above and below and above - below < 2 ^ -20 then -- there is hardly a number in between: number all entries anew
  local members, numbered = redis.call('ZREVRANGE', order, 0, -1), {}
  for i, one in ipairs(members) do
    numbered[2 * i - 1], numbered[2 * i] = #members - i, one
  end
  redis.call('ZADD', order, unpack(numbered))
  above, below = score_at(target - 1), score_at(target)
end
local score = above and below and (above + below) / 2 or below and below + 1 or above and above - 1 or 0
redis.call('ZADD', order, string.format('%.17g', score), member)
redis.call('HINCRBY', list, 'version', 1)
return 'placed'
