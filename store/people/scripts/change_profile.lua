-- Changes fields of the profile of an account.
-- KEYS 1 user:<id>
-- ARGV fields and values
-- returns 1, or 0 if there is no such account
if redis.call('HEXISTS', KEYS[1], 'id') == 0 then return 0 end
if #ARGV > 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
return 1
