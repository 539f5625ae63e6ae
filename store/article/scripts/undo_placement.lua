-- Reverts the decision of a person about an article in a feed, from the record of place_article. The revision stays: if it
-- were used again, fetches of the reverted revision would count for the next one.
-- KEYS 1 article:<uuid>  2 version:<type>  3 article:<uuid>:impressions:<type>  4 published_<type>  5 imported_<type>
--      6 expired_<type>  7 withdrawn_<type>  8 inbox  9 dismissed  10 undo:<id>
-- ARGV 1 uuid  2 type  3 key prefix, of the keys of the feeds in which it was ever published
-- returns 'undone', the state before, the state after, the revision, and the number of impressions lost; 'nothing' if
--         there is no record, or 'missing' if there is no article; or 'overtaken', the state and the revision
-- fragment inbox
-- fragment new_version
local uuid, typ, field = ARGV[1], ARGV[2], ARGV[1] .. ' ' .. ARGV[2]
local kept = redis.call('HGET', KEYS[10], field)
if not kept then return {'nothing'} end
local was = cjson.decode(kept)
if was.answer then return was.answer end
local revision = redis.call('HGET', KEYS[1], 'revision_' .. typ)
if redis.call('EXISTS', KEYS[1]) == 0 then return {'missing'} end

local state = 'unpublished'
if redis.call('ZSCORE', KEYS[4], uuid) then state = 'published'
elseif redis.call('ZSCORE', KEYS[7], uuid) then state = 'withdrawn'
elseif redis.call('ZSCORE', KEYS[6], uuid) then state = 'expired'
elseif redis.call('ZSCORE', KEYS[5], uuid) then state = 'imported' end
if state ~= was.after or revision ~= was.revision then return {'overtaken', state, revision or '0'} end

local since = state == 'published' and redis.call('LLEN', KEYS[3]) or 0
local sets = {[4] = was.published, [5] = was.imported, [6] = was.expired, [7] = was.taken}
for i = 4, 7 do
  if sets[i] then redis.call('ZADD', KEYS[i], sets[i], uuid) else redis.call('ZREM', KEYS[i], uuid) end
end
redis.call('DEL', KEYS[3])
for _, stamp in ipairs(was.impressions) do redis.call('RPUSH', KEYS[3], stamp) end
if was.published then redis.call('HSET', KEYS[1], 'date_published_' .. typ, was.published)
else redis.call('HDEL', KEYS[1], 'date_published_' .. typ) end
if was.digest then redis.call('HSET', KEYS[1], 'digest_' .. typ, was.digest)
else redis.call('HDEL', KEYS[1], 'digest_' .. typ) end
if was.dismissed then redis.call('ZADD', KEYS[9], was.dismissed, uuid)
elseif not decided(KEYS[1], ARGV[3], uuid) then to_inbox(KEYS[1], KEYS[8], uuid) end
new_version(KEYS[2])

local answer = {'undone', state, was.state, revision or '0', tostring(since)}
redis.call('HSET', KEYS[10], field, cjson.encode({answer = answer})) -- for a repeated call
return answer
