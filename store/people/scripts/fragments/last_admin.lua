-- last_admin reports whether an account is an admin that is not disabled, and the only one.
local function last_admin(id, staff, prefix)
  local function is_admin(id)
    local held = redis.call('HMGET', prefix .. id, 'flags', 'disabled')
    return string.find(held[1] or '', 'a') and held[2] ~= '1'
  end
  if not is_admin(id) then return false end
  for _, other in ipairs(redis.call('SMEMBERS', staff)) do
    if other ~= id and is_admin(other) then return false end
  end
  return true
end
