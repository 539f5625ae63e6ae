-- Closes a store to daemons, renews that, or opens the store. It is safe to repeat.
-- KEYS 1 closed
-- ARGV 1 mark  2 the current mark; '' for none  3 TTL in milliseconds; 0: open it
-- returns mark if it is done, otherwise the current mark; '' for none
local there = redis.call('GET', KEYS[1]) or ''
if there ~= ARGV[1] and there ~= ARGV[2] then return there end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
end
return ARGV[1]
