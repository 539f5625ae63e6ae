-- Reads the tokens that an account created.
-- KEYS 1 tokens  2 tokens:used
-- ARGV 1 name of the account
-- returns the text of each token as it is stored, and when it was last used
-- fragment tokens_of
local reply = {}
for _, token in ipairs(tokens_of(KEYS[1], ARGV[1])) do
  reply[#reply + 1] = token.text
  reply[#reply + 1] = redis.call('HGET', KEYS[2], token.id) or ''
end
return reply
