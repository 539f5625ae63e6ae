-- revoke_tokens revokes the tokens that an account created, and appends them to a list as they were stored.
local function revoke_tokens(tokens, used, fever, name, list)
  for _, token in ipairs(tokens_of(tokens, name)) do
    redis.call('HDEL', tokens, token.id)
    redis.call('HDEL', used, token.id)
    redis.call('HDEL', fever, token.fever or '')
    list[#list + 1] = token.text
  end
end
