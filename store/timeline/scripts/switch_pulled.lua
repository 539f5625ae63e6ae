-- Makes a source one whose entries timelines read themselves, or ends that, and queues the chunks that drop the caches from before.
-- KEYS 1 fanout  2 fanout:pulled
-- ARGV 1 SADD or SREM  2 feed_url  3 how many values the record of a chunk has; then these of each chunk
redis.call(ARGV[1], KEYS[2], ARGV[2])
local count = tonumber(ARGV[3])
for first = 4, #ARGV, count do
  redis.call('XADD', KEYS[1], '*', unpack(ARGV, first, first + count - 1))
end
return 1
