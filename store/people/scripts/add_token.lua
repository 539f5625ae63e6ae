-- Adds a token, unless its creator was disabled or removed since the request began.
-- KEYS 1 tokens  2 username.to.id:<name> of the creator  3 tokens:fever
-- ARGV 1 id  2 token  3 maximum of tokens  4 "1" if the creator must have an account
--      5 beginning of the keys of accounts  6 FeverSum of the token, or empty  7 name of the creator  8 maximum of its tokens
--      9 maximum of its app passwords, if the token is one; else 0  10 " <scope> … " of app passwords
-- returns 1; 0: there are too many tokens; -1: the account of the creator is disabled or removed; -2: the creator has too many tokens;
--         -3: it has too many app passwords
-- fragment tokens_of
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
local creator = redis.call('GET', KEYS[2])
if not creator and ARGV[4] == '1' then return -1 end
if creator and redis.call('HGET', ARGV[5] .. creator, 'disabled') == '1' then return -1 end
local own, apps = tokens_of(KEYS[1], ARGV[7]), 0
for _, token in ipairs(own) do
  local app = 1
  for _, scope in ipairs(token.scopes) do
    if not string.find(ARGV[10], ' ' .. scope .. ' ', 1, true) then app = 0 end
  end
  apps = apps + app
end
if #own >= tonumber(ARGV[8]) then return -2 end
if tonumber(ARGV[9]) > 0 and apps >= tonumber(ARGV[9]) then return -3 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[6] ~= '' then redis.call('HSET', KEYS[3], ARGV[6], ARGV[1]) end
return 1
