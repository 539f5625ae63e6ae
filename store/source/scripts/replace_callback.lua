-- Replaces a callback, unless it was written since it was read. If the token changes, the previous callback becomes
-- push:leaving:<token>, until it is written without fields.
-- KEYS 1 the callback: <feed_url>:push or push:leaving:<token>  2 push:tokens  3 push:due  4 feeds
--      5 push:leaving:<token> of the token read
-- ARGV 1 id of the source, which must exist; '' if it need not  2 member of push:due  3 feed_url  4 revision read; '' for none
--      5 revision written  6 due time; '' for none  7 now  8 token read; '' for none  9 token written; '' for none
--      10 '1' to store the callback of the token read if that changes, '' to drop it
--      then the field pairs; none to delete the callback
-- returns 1 done, 0 it was written since, -1 there is no such source
local revision = redis.call('HGET', KEYS[1], 'revision') or ''
if revision == ARGV[5] and revision ~= '' then return 1 end
if revision ~= ARGV[4] then return 0 end
if ARGV[1] ~= '' and redis.call('HEXISTS', KEYS[4], ARGV[1]) == 0 then return -1 end
if ARGV[8] ~= '' and ARGV[8] ~= ARGV[9] then
  if ARGV[10] == '1' then
    redis.call('HSET', KEYS[5], unpack(redis.call('HGETALL', KEYS[1])))
    redis.call('HSET', KEYS[5], 'state', 'leaving', 'since', ARGV[7], 'feed_url', ARGV[3])
    redis.call('HDEL', KEYS[5], 'asked', 'until', 'errors', 'error_text')
    redis.call('ZADD', KEYS[3], ARGV[7], ARGV[8])
  else
    redis.call('HDEL', KEYS[2], ARGV[8])
  end
end
redis.call('DEL', KEYS[1])
if #ARGV > 10 then redis.call('HSET', KEYS[1], unpack(ARGV, 11)) end
if ARGV[9] ~= '' then redis.call('HSET', KEYS[2], ARGV[9], ARGV[3]) end
if ARGV[6] ~= '' then
  redis.call('ZADD', KEYS[3], ARGV[6], ARGV[2])
else
  redis.call('ZREM', KEYS[3], ARGV[2])
end
return 1
