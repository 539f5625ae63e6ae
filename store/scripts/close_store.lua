-- Closes a store for daemons, keeps it closed, or opens it again. Sent twice it does nothing the second time.
-- KEYS 1 closed
-- ARGV 1 mark  2 the one that has to be there; '' for none  3 TTL in milliseconds; 0: open it
-- returns the mark that it has then, or had; '' for none
local there = redis.call('GET', KEYS[1]) or ''
if there ~= ARGV[1] and there ~= ARGV[2] then return there end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
end
return ARGV[1]
