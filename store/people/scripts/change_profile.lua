-- Changes the profile of an account.
-- KEYS 1 user:<id>
-- ARGV 1 about  2 email
-- returns 1, or 0 if there is no such account
if redis.call('HEXISTS', KEYS[1], 'id') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'about', ARGV[1], 'email', ARGV[2])
return 1
