-- Sets what an article carries of its entry, which a newer parser read anew. Its history and its placements remain.
-- KEYS 1 article:<uuid>  2 article:<uuid>:content  3 inbox
-- ARGV 1 uuid  2 key prefix, of the keys of the feeds in which it was ever published  3 now  4 digest  5 content; '' for none
--      6 the digest in version 1 of digests  7 the digest before the entry was read anew; '' if it is the same  8… fields and values
-- returns 1: something changed; 0: nothing; -1: the article has another digest, so a signal about its entry waits, or it is missing
-- fragment inbox
-- fragment new_version
local uuid, prefix, digest = ARGV[1], ARGV[2], ARGV[4]
local before = redis.call('HGET', KEYS[1], 'digest')
if not before or before ~= digest and before ~= ARGV[6] and before ~= ARGV[7] then return -1 end
local all, changed = redis.call('HGETALL', KEYS[1]), false
local stored = {}
for i = 1, #all, 2 do
  stored[all[i]] = all[i + 1]
  if before ~= digest and all[i]:sub(1, 6) == 'digest' and all[i + 1] == before then -- also digest_<type>: it is no other content
    redis.call('HSET', KEYS[1], all[i], digest)
  end
end
for i = 8, #ARGV, 2 do
  if (stored[ARGV[i]] or '') ~= ARGV[i + 1] then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    changed = true
  end
end
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[5] then
  if ARGV[5] ~= '' then redis.call('SET', KEYS[2], ARGV[5]) else redis.call('UNLINK', KEYS[2]) end
  changed = true
end
if not changed then return 0 end
redis.call('HSET', KEYS[1], 'reread_at', ARGV[3])
if redis.call('ZSCORE', KEYS[3], uuid) then to_inbox(KEYS[1], KEYS[3], uuid) end
for name in pairs(stored) do
  local typ = name:match('^revision_(.+)$')
  if typ and redis.call('ZSCORE', prefix .. 'published_' .. typ, uuid) then new_version(prefix .. 'version:' .. typ) end
end
return 1
