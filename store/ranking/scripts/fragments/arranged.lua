-- refused returns why a list that editors arrange cannot be changed, or nil: 'none' if it does not exist, 'changed' if its version is another one
-- than expected; '' expects any.
local function refused(list, expected)
  local version = redis.call('HGET', list, 'version')
  if not version then return 'none' end
  if expected ~= '' and expected ~= version then return 'changed' end
end
