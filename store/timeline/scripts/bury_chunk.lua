-- Moves a chunk to the dead letters.
-- KEYS 1 fanout  2 fanout:dead
-- ARGV 1 group  2 id of the record  3 how many dead letters are kept
-- returns 1 moved, 0 it was done or moved before
local record = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if not record then return 0 end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], '*', unpack(record[2]))
redis.call('XDEL', KEYS[1], ARGV[2])
return 1
