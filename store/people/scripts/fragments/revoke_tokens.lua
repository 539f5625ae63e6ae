-- revoke_tokens revokes the tokens that an account created, and appends them to a list as they were stored.
local function revoke_tokens(tokens, used, fever, name, list)
  local all = redis.call('HGETALL', tokens)
  for i = 1, #all, 2 do
    local ok, token = pcall(cjson.decode, all[i + 1])
    if ok and type(token) == 'table' and token.creator == name then
      redis.call('HDEL', tokens, all[i])
      redis.call('HDEL', used, all[i])
      redis.call('HDEL', fever, token.fever or '')
      list[#list + 1] = all[i + 1]
    end
  end
end
