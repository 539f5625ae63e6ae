-- Changes what a person can change about a source beside its settings. With another address, a poll under way loses its lease, so that it
-- writes nothing, and the source is due at once unless it is paused.
-- KEYS 1 feeds  2 <feed_url>:meta  3 sched:due  4 sched:lease  5 sched:unwell
-- ARGV 1 source id  2 feed_url  3 now  4 revision of the settings, 0 for any  5 1: the address changes
--      6 number of field pairs, the pairs, then fields to delete
-- returns 1 done, 0 no such source, -1 the settings have another revision
-- fragment note_state
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[4] ~= '0' and (redis.call('HGET', KEYS[2], 'edition') or '0') ~= ARGV[4] then return -1 end
local last = 6 + 2 * tonumber(ARGV[6])
if last > 6 then redis.call('HSET', KEYS[2], unpack(ARGV, 7, last)) end
if #ARGV > last then redis.call('HDEL', KEYS[2], unpack(ARGV, last + 1)) end
redis.call('HINCRBY', KEYS[2], 'edition', 1)
if ARGV[5] ~= '1' then return 1 end
redis.call('HDEL', KEYS[4], ARGV[2])
local is = read_state(KEYS[2])
note_state(KEYS[5], ARGV[2], is)
if is[1] ~= '1' then
  redis.call('HSET', KEYS[2], 'next_poll', ARGV[3], 'next_reason', 'new address')
  redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
end
return 1
