-- Ends or permits new comments on news.
-- KEYS 1 news:<n>
-- ARGV 1 1: comments are refused; 0: members comment
-- returns {'missing', 0}, or {'locked', 1: something changed}
if redis.call('EXISTS', KEYS[1]) == 0 then return {'missing', 0} end
if ARGV[1] == '1' then return {'locked', redis.call('HSET', KEYS[1], 'locked', 1)} end
return {'locked', redis.call('HDEL', KEYS[1], 'locked')}
