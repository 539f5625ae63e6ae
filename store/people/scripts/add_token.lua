-- Adds a token, unless its creator was disabled or removed since the request began.
-- KEYS 1 tokens  2 account:<name> of the creator
-- ARGV 1 id  2 token  3 maximum of tokens  4 "1" if the creator must have an account
-- returns 1; 0: there are too many tokens; -1: the account of the creator is disabled or removed
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
local account = redis.call('HMGET', KEYS[2], 'name', 'disabled')
if account[2] == '1' or ARGV[4] == '1' and not account[1] then return -1 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
