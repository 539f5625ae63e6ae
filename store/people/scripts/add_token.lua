-- Adds a token, unless its creator was disabled or removed since the request began.
-- KEYS 1 tokens  2 username.to.id:<name> of the creator  3 tokens:fever
-- ARGV 1 id  2 token  3 maximum of tokens  4 "1" if the creator must have an account
--      5 beginning of the keys of accounts  6 FeverSum of the token, or empty
-- returns 1; 0: there are too many tokens; -1: the account of the creator is disabled or removed
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
local creator = redis.call('GET', KEYS[2])
if not creator and ARGV[4] == '1' then return -1 end
if creator and redis.call('HGET', ARGV[5] .. creator, 'disabled') == '1' then return -1 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[6] ~= '' then redis.call('HSET', KEYS[3], ARGV[6], ARGV[1]) end
return 1
