-- Sets the vote of a network on an entry, which becomes an article unless there is no vote to withdraw. It counts in the field anonymous only.
-- fragment groups
-- fragment article
-- KEYS 7 anonymous:<n>  8 anonymous.voting:<hash>
-- ARGV 11 digest of the network  12 up, down or none  13 how many networks may vote on an entry  14 how often a network may vote in an hour
-- returns {'removed' | 'closed' | 'full'}, {'often', seconds until it may vote again}, or {'open', score, votes, anonymous votes}
local networks, used, network, asked = KEYS[7], KEYS[8], ARGV[11], ARGV[12]
if removed() then return {'removed'} end
if now > posted() + window then return {'closed'} end
local held = redis.call('HGET', networks, network) or 'none'
if asked ~= held then
  local times = tonumber(redis.call('GET', used) or 0)
  if times >= tonumber(ARGV[14]) then return {'often', tostring(math.max(1, redis.call('TTL', used)))} end
  if held == 'none' and redis.call('HLEN', networks) >= tonumber(ARGV[13]) then return {'full'} end
  if redis.call('INCR', used) == 1 then redis.call('EXPIRE', used, 3600) end
end
if asked == 'none' and not stored_time then return {'open', posted(), '0', '0'} end
create()
if asked ~= held then
  if asked == 'none' then
    redis.call('HDEL', networks, network)
  else
    redis.call('HSET', networks, network, asked)
  end
  redis.call('EXPIRE', networks, math.ceil(posted() + stored - now))
  redis.call('HINCRBY', article, 'anonymous', worth[asked] - worth[held])
  signal_later()
end
return {'open', redis.call('ZSCORE', scores, member), tostring(votes), redis.call('HGET', article, 'anonymous') or '0'}
