-- Adds or updates an article.
-- KEYS 1 article:<uuid>  2 article:<uuid>:content  3 articles  4 article:<uuid>:versions
-- ARGV 1 uuid  2 now  3 digest  4 content; '' for none  5 id of the signal that told of it; '' for none
--      6 this version, for people  7 how many of them are kept, then field pairs
-- returns 1 saved, 0 it had this digest already, -1 a later signal was here before

-- earlier compares stream ids, "ms-seq".
local function earlier(a, b)
  local ams, aseq = a:match('^(%d+)-(%d+)$')
  local bms, bseq = b:match('^(%d+)-(%d+)$')
  if not ams or not bms then return false end
  return tonumber(ams) < tonumber(bms) or ams == bms and tonumber(aseq) < tonumber(bseq)
end

local stored = redis.call('HMGET', KEYS[1], 'digest', 'signal')
if earlier(ARGV[5], stored[2] or '') then return -1 end
if stored[1] == ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'digest', ARGV[3], 'signal', ARGV[5], 'date_updated', ARGV[2], unpack(ARGV, 8))
if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4]) else redis.call('UNLINK', KEYS[2]) end
redis.call('LPUSH', KEYS[4], ARGV[6])
redis.call('LTRIM', KEYS[4], 0, ARGV[7] - 1)
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
return 1
