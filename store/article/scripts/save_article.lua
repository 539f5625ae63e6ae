-- Adds or updates an article.
-- KEYS 1 article:<uuid>  2 article:<uuid>:content  3 articles  4 article:<uuid>:versions  5 inbox
-- ARGV 1 uuid  2 now  3 digest  4 content; '' for none  5 id of the signal that announced it; '' for none
--      6 this version, packed  7 maximum number of versions  8 the digest in version 1 of digests  9… fields and values
-- returns 1: saved; 0: the digest is the same; -1: the article was saved with a later signal
-- fragment inbox

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
if ARGV[8] ~= '' and stored[1] == ARGV[8] then -- the same content, stored with a digest of version 1
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field:sub(1, 6) == 'digest' and redis.call('HGET', KEYS[1], field) == ARGV[8] then redis.call('HSET', KEYS[1], field, ARGV[3]) end
  end
  return 0
end
redis.call('HSET', KEYS[1], 'digest', ARGV[3], 'signal', ARGV[5], 'date_updated', ARGV[2], unpack(ARGV, 9))
if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4]) else redis.call('UNLINK', KEYS[2]) end
redis.call('LPUSH', KEYS[4], ARGV[6])
redis.call('LTRIM', KEYS[4], 0, ARGV[7] - 1)
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
if not stored[1] or redis.call('ZSCORE', KEYS[5], ARGV[1]) then to_inbox(KEYS[1], KEYS[5], ARGV[1]) end
return 1
