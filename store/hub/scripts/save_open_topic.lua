-- Adds an open topic, or stores the result of its check, which ends the claim of the check if there is a next one.
-- KEYS 1 hub:open  2 hub:open:due  3 hub:open:checks  4 hub:open:bytes
-- ARGV 1 topic  2 record  3 bytes of its stored document, '' to leave them  4 next check, '' to stay claimed
--      5 end of the claim, '' to add the topic  6 maximum of topics  7 maximum of bytes of all documents
-- returns 1; 0 if there are too many topics, or the claim has ended; -1 if there are too many bytes
-- fragment reserve_bytes
if ARGV[5] == '' then
  if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) then return 0 end
elseif tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]) or 0) ~= tonumber(ARGV[5]) then
  return 0
end
if ARGV[3] ~= '' and not reserve_bytes(KEYS[4], ARGV[1], ARGV[3], ARGV[7]) then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[4] ~= '' then
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[1]) -- a request meanwhile asks for an earlier one
end
return 1
