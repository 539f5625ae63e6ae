-- Reverts that a person dismissed or restored an article, from the record of dismiss_article.
-- KEYS 1 article:<uuid>  2 inbox  3 dismissed  4 undo:<id>
-- ARGV 1 uuid  2 key prefix, of the keys of the feeds in which it was ever published
-- returns 'undone', the state before, the state after, '0', '0'; 'nothing' if there is no record, or 'missing' if there is no
--         article; or 'overtaken', the state and '0'
-- fragment inbox
local uuid, field = ARGV[1], ARGV[1] .. ' '
local kept = redis.call('HGET', KEYS[4], field)
if not kept then return {'nothing'} end
local was = cjson.decode(kept)
if was.answer then return was.answer end
if redis.call('EXISTS', KEYS[1]) == 0 then return {'missing'} end
local state = redis.call('ZSCORE', KEYS[3], uuid) and 'dismissed' or decided(KEYS[1], ARGV[2], uuid) or 'unpublished'
if state ~= was.after then return {'overtaken', state, '0'} end
if was.state == 'dismissed' then
  redis.call('ZREM', KEYS[2], uuid)
  redis.call('ZADD', KEYS[3], was.dismissed, uuid)
else
  redis.call('ZREM', KEYS[3], uuid)
  to_inbox(KEYS[1], KEYS[2], uuid)
end
local answer = {'undone', state, was.state, '0', '0'}
redis.call('HSET', KEYS[4], field, cjson.encode({answer = answer})) -- for a repeated call
return answer
