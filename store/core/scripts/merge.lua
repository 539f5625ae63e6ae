-- Merges records of the outbox of a shard into the stream that all readers follow. The cursor of the shard moves with them, so
-- that every record is merged once, whoever else has read it.
-- KEYS 1 signals  2 signals:gathered
-- ARGV 1 number of the shard  2 id after which the records were read, then of each: its id, number of fields and values, and these
-- returns the cursor. It is before ARGV 2 if the data went back in time, as after a failover: then nothing was merged
local function less(a, b)
  local ams, aseq, bms, bseq = a:match('^(%d+)'), a:match('-(%d+)$'), b:match('^(%d+)'), b:match('-(%d+)$')
  return tonumber(ams) < tonumber(bms) or ams == bms and tonumber(aseq) < tonumber(bseq)
end

local cursor = redis.call('HGET', KEYS[2], ARGV[1]) or '0-0'
if less(cursor, ARGV[2]) then return cursor end
local was, at = cursor, 3
while at <= #ARGV do
  local last = at + 1 + tonumber(ARGV[at + 1])
  if less(cursor, ARGV[at]) then
    redis.call('XADD', KEYS[1], '*', unpack(ARGV, at + 2, last))
    cursor = ARGV[at]
  end
  at = last + 1
end
if cursor ~= was then redis.call('HSET', KEYS[2], ARGV[1], cursor) end
return cursor
