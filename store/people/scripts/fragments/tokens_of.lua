-- tokens_of returns the tokens that an account created: their id, text as it is stored, and scopes. It decodes no others, of which there
-- may be thousands.
local function tokens_of(tokens, name)
  local mine, list, all = '"creator":"' .. name .. '"', {}, redis.call('HGETALL', tokens)
  for i = 1, #all, 2 do
    if string.find(all[i + 1], mine, 1, true) then
      local ok, token = pcall(cjson.decode, all[i + 1])
      if ok and type(token) == 'table' and token.creator == name then
        list[#list + 1] = {id = all[i], text = all[i + 1], fever = token.fever, scopes = type(token.scopes) == 'table' and token.scopes or {}}
      end
    end
  end
  return list
end
