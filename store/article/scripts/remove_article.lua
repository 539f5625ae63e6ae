-- Deletes an article from every feed, with its history.
-- KEYS 1 article:<uuid>  2 article:<uuid>:content  3 articles  4 article:<uuid>:versions  5 article:<uuid>:deeds  6 removals
--      7 inbox  8 dismissed
-- ARGV 1 uuid  2 key prefix, of the keys of the feeds in which it was ever published
-- returns 1
-- fragment new_version
local uuid, prefix = ARGV[1], ARGV[2]
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local typ = field:match('^revision_(.+)$')
  if typ then
    for _, state in ipairs({'published_', 'imported_', 'expired_', 'withdrawn_'}) do redis.call('ZREM', prefix .. state .. typ, uuid) end
    redis.call('UNLINK', prefix .. 'article:' .. uuid .. ':impressions:' .. typ)
    new_version(prefix .. 'version:' .. typ)
  end
end
for _, set in ipairs({KEYS[3], KEYS[7], KEYS[8]}) do redis.call('ZREM', set, uuid) end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[4], KEYS[5])
redis.call('INCR', KEYS[6])
return 1
