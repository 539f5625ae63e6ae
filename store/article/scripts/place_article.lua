-- Publishes an article in a feed, publishes it again, or withdraws it.
-- KEYS 1 article:<uuid>  2 articles  3 version:<type>  4 article:<uuid>:impressions:<type>  5 published_<type>
--      6 imported_<type>  7 expired_<type>  8 withdrawn_<type>  9 inbox  10 dismissed  11 activity:<n> of now
--      12 request:<id>  13 undo:<id>; both for decisions of a person only
-- ARGV 1 uuid  2 type  3 now  4 digest; '' for the stored one  5 how:
--      'publish'   by a person, in any state
--      'withdraw'  by a person, if it is published
--      'follow'    by rule, if it is published or imported with other content and the digest is current
--      'auto'      like follow, and also if it is unpublished or expired, unless a person dismissed it
--      6, 7 state and revision that the person saw; absent or '' for any
-- returns state before, state after, revision, '1' if anything changed, '1' if the request was repeated;
--         or 'missing'; or 'conflict' and the state; or 'overtaken', the state and the revision
-- fragment answered
-- fragment count
-- fragment new_version
local before = answered(KEYS[12])
if before then return before end
local uuid, typ, now, digest, how = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local stored = redis.call('HMGET', KEYS[1], 'digest', 'digest_' .. typ, 'revision_' .. typ)
if not stored[1] then return {'missing'} end
if digest == '' then digest = stored[1] end
local revision = tonumber(stored[3] or '0')

local state = 'unpublished'
if redis.call('ZSCORE', KEYS[5], uuid) then state = 'published'
elseif redis.call('ZSCORE', KEYS[8], uuid) then state = 'withdrawn'
elseif redis.call('ZSCORE', KEYS[7], uuid) then state = 'expired'
elseif redis.call('ZSCORE', KEYS[6], uuid) then state = 'imported' end
if (ARGV[6] or '') ~= '' and (ARGV[6] ~= state or tonumber(ARGV[7]) ~= revision) then
  return {'overtaken', state, tostring(revision)}
end

local dismissed = redis.call('ZSCORE', KEYS[10], uuid)
local changed, target
if how == 'withdraw' then
  if state ~= 'published' and state ~= 'withdrawn' then return {'conflict', state} end
  changed, target = state == 'published', 'withdrawn'
else
  -- A reader of the signals that was overtaken has an old digest.
  local current = digest == stored[1]
  local out = state == 'published' or state == 'imported'
  local fresh = how == 'auto' and (state == 'unpublished' or state == 'expired') and not dismissed
  changed = how == 'publish' or (current and (out or fresh) and stored[2] ~= digest)
  target = changed and 'published' or state
end

-- The record that undo_placement reads.
if changed and KEYS[13] then
  redis.call('HSET', KEYS[13], uuid .. ' ' .. typ, cjson.encode({
    state = state, digest = stored[2], published = redis.call('ZSCORE', KEYS[5], uuid), imported = redis.call('ZSCORE', KEYS[6], uuid),
    expired = redis.call('ZSCORE', KEYS[7], uuid), taken = redis.call('ZSCORE', KEYS[8], uuid), dismissed = dismissed,
    impressions = redis.call('LRANGE', KEYS[4], 0, -1), after = target,
    revision = tostring(target == 'published' and revision + 1 or revision)}))
  redis.call('EXPIRE', KEYS[13], 3600)
end

if changed and target == 'published' then
  revision = revision + 1
  redis.call('HSET', KEYS[1], 'date_published_' .. typ, now, 'revision_' .. typ, revision, 'digest_' .. typ, digest)
  redis.call('DEL', KEYS[4])
  redis.call('ZADD', KEYS[5], now, uuid)
  redis.call('ZREM', KEYS[7], uuid)
  redis.call('ZREM', KEYS[8], uuid)
  redis.call('ZREM', KEYS[9], uuid)
  redis.call('ZREM', KEYS[10], uuid)
  redis.call('ZADD', KEYS[2], now, uuid)
  count(KEYS[11], 'published', 1)
elseif changed then
  redis.call('HDEL', KEYS[1], 'date_published_' .. typ)
  redis.call('DEL', KEYS[4])
  redis.call('ZREM', KEYS[5], uuid)
  redis.call('ZADD', KEYS[8], now, uuid)
end
if changed then new_version(KEYS[3]) end

return answer(KEYS[12], {state, target, tostring(revision), changed and '1' or '0', '0'})
