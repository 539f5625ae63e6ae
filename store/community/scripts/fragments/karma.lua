-- karma_of returns the karma of an account, which begins with one.
local function karma_of(account) return tonumber(redis.call('HGET', account, 'karma') or 1) end

-- earn changes the karma of an account, if it exists.
local function earn(account, karma)
  if redis.call('EXISTS', account) == 0 then return end
  redis.call('HSETNX', account, 'karma', 1)
  redis.call('HINCRBY', account, 'karma', karma)
end
