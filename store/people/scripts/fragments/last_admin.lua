-- last_admin reports whether an account is an admin that is not disabled, and the only one.
local function last_admin(account, name, accounts, prefix)
  local function is_admin(key)
    local held = redis.call('HMGET', key, 'role', 'disabled')
    return held[1] == 'admin' and held[2] ~= '1'
  end
  if not is_admin(account) then return false end
  for _, other in ipairs(redis.call('SMEMBERS', accounts)) do
    if other ~= name and is_admin(prefix .. other) then return false end
  end
  return true
end
