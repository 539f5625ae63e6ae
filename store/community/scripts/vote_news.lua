-- Votes on news with the karma of a member, in both vote stores.
-- fragment groups
-- fragment article
-- fragment rank
-- fragment karma
-- fragment seen
-- KEYS 7 news:<n>  8 news.up:<n>  9 news.down:<n>  10 news.top  11 user:<id> of the voter  12 voted.news:<id>  13 community.banned
-- ARGV 11 <n>  12 <id> of the voter  13 up or down  14 karma that the voter must have  15 that the vote costs  16 that the author gets
-- returns {'banned' | 'missing' | 'removed' | 'closed', ''}, {'voted', up or down} if the voter has voted before, {'karma', that the voter has} or {'cast', ''}
local news, n, user, asked = KEYS[7], ARGV[11], ARGV[12], ARGV[13]
local is = redis.call('HMGET', news, 'user_id', 'del', 'id', 'state')
if redis.call('ZSCORE', KEYS[13], user) then return {'banned', ''} end
if not is[3] then return {'missing', ''} end
if is[2] or unseen(is[4], is[1], user) or removed() then return {'removed', ''} end
if redis.call('ZSCORE', KEYS[8], user) then return {'voted', 'up'} end
if redis.call('ZSCORE', KEYS[9], user) then return {'voted', 'down'} end
if now > posted() + window then return {'closed', ''} end
if is[1] ~= user then
  local karma = karma_of(KEYS[11])
  if karma < tonumber(ARGV[14]) then return {'karma', tostring(karma)} end
  earn(KEYS[11], -tonumber(ARGV[15]))
  if ARGV[16] ~= '0' then earn(prefix .. 'user:' .. is[1], ARGV[16]) end
end
create()
if cast(user, asked) then signal_later() end
redis.call('ZADD', asked == 'up' and KEYS[8] or KEYS[9], ARGV[6], user)
redis.call('ZADD', KEYS[12], ARGV[6], n)
redis.call('HINCRBY', news, asked, 1)
rank(news, n, KEYS[10], now)
return {'cast', ''}
