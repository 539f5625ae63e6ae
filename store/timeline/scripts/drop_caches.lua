-- Drops the caches of users. The next read of each builds it.
-- KEYS for each user: feed:user:<user>, feed:user:<user>:warm, user.follows:<user>
-- returns how many there were
local dropped = 0
for i = 1, #KEYS, 3 do
  dropped = dropped + redis.call('UNLINK', KEYS[i])
  redis.call('UNLINK', KEYS[i + 1])
end
return dropped
