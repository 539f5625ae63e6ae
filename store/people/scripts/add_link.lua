-- Adds a one-time link. It is the only valid link of its account.
-- KEYS 1 link:<hash>  2 account:<name>
-- ARGV 1 <hash>  2 name; empty: the first account  3 TTL in seconds
-- returns 1, or 0 if there is no such account
if ARGV[2] ~= '' then
  if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
  redis.call('HSET', KEYS[2], 'link', ARGV[1])
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
