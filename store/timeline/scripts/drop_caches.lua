-- Drops the caches of users. The next read of each builds it.
-- KEYS 1 feed:user:<user> of one of them
-- ARGV 1 prefix of their keys  then the users
-- returns how many there were
local dropped = 0
for i = 2, #ARGV do
  local cache = ARGV[1] .. 'feed:user:' .. ARGV[i]
  dropped = dropped + redis.call('UNLINK', cache)
  redis.call('UNLINK', cache .. ':warm')
end
return dropped
