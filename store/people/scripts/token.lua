-- Reads a token and the account of its creator.
-- KEYS 1 tokens  2 tokens:used
-- ARGV 1 id of the token  2 beginning of the keys of ids by name  3 beginning of the keys of accounts
-- returns {token, when it was last used, {fields and values of user:<id>}}, or nothing
local token = redis.call('HGET', KEYS[1], ARGV[1])
if not token then return {} end
local id = redis.call('GET', ARGV[2] .. (cjson.decode(token).creator or ''))
return {token, redis.call('HGET', KEYS[2], ARGV[1]), id and redis.call('HGETALL', ARGV[3] .. id) or {}}
