-- Counts the idle time of signals from now if they were read in the future, before the clock of Redis was set back: no other consumer
-- would get them until it catches up. Redis reports that they are not idle, as for signals that were read this millisecond.
-- KEYS 1 signals
-- ARGV 1 group  2 maximum to examine
for _, pending in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', ARGV[2])) do
  if pending[3] <= 0 then redis.call('XCLAIM', KEYS[1], ARGV[1], pending[2], 0, pending[1], 'IDLE', 0, 'JUSTID') end
end
