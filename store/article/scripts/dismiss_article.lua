-- Moves an article from the inbox to the dismissed articles, or back.
-- KEYS 1 article:<uuid>  2 inbox  3 dismissed  4 request:<id>  5 undo:<id>
-- ARGV 1 uuid  2 key prefix, of the keys of the feeds in which it was ever published  3 now  4 'dismiss' or 'restore'
-- returns state before, state after, '0', '1' if anything changed, '1' if the request was repeated; or 'missing';
--         or 'conflict' and the state: it was published
-- fragment answered
-- fragment inbox
local before = answered(KEYS[4])
if before then return before end
local uuid, prefix, now = ARGV[1], ARGV[2], ARGV[3]
if redis.call('EXISTS', KEYS[1]) == 0 then return {'missing'} end
local placed = decided(KEYS[1], prefix, uuid)
if placed then return {'conflict', placed} end

local state = redis.call('ZSCORE', KEYS[3], uuid) and 'dismissed' or 'unpublished'
local target = ARGV[4] == 'dismiss' and 'dismissed' or 'unpublished'
local changed = state ~= target
if changed and target == 'dismissed' then
  redis.call('ZREM', KEYS[2], uuid)
  redis.call('ZADD', KEYS[3], now, uuid)
elseif changed then
  redis.call('ZREM', KEYS[3], uuid)
  to_inbox(KEYS[1], KEYS[2], uuid)
end
if changed then -- the record that undo_dismissal reads
  redis.call('HSET', KEYS[5], uuid .. ' ', cjson.encode({state = state, after = target, dismissed = now}))
  redis.call('EXPIRE', KEYS[5], 3600)
end
return answer(KEYS[4], {state, target, '0', changed and '1' or '0', '0'})
