-- linked returns the key of the account of a link, or nothing if the account is removed or has a newer link, or none.
local function linked(whose, hash, prefix)
  local account = prefix .. string.sub(whose, #'user:' + 1)
  if redis.call('EXISTS', account) == 0 then return false end
  local newest = redis.call('HGET', account, 'link') -- accounts of older versions have none
  return (not newest or newest == hash) and account
end
