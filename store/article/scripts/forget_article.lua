-- Deletes an article that is published nowhere and was not updated since a time.
-- KEYS 1 article:<uuid>  2 article:<uuid>:content  3 articles  4 article:<uuid>:versions  5 article:<uuid>:deeds,
--      6 inbox  7 dismissed, then for each type:
--      published_<type>, imported_<type>, expired_<type>, withdrawn_<type>, article:<uuid>:impressions:<type>
-- ARGV 1 uuid  2 the time
-- returns 1: deleted; 0: it is published, or was updated since
local updated = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not updated or tonumber(updated) >= tonumber(ARGV[2]) then return 0 end
for i = 8, #KEYS, 5 do
  if redis.call('ZSCORE', KEYS[i], ARGV[1]) then return 0 end
end
for i = 8, #KEYS, 5 do
  for j = i + 1, i + 3 do redis.call('ZREM', KEYS[j], ARGV[1]) end
  redis.call('UNLINK', KEYS[i + 4])
end
for _, set in ipairs({KEYS[3], KEYS[6], KEYS[7]}) do redis.call('ZREM', set, ARGV[1]) end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[4], KEYS[5])
return 1
