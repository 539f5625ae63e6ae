-- Adds a comment to the thread of news, and counts it as an unread reply for the author of the comment that it replies to. A comment
-- that everyone sees is signalled.
-- fragment seen
-- fragment count_hidden
-- fragment put_comment
-- fragment count
-- KEYS 1 news:<n>  2 thread:comment:<n>  3 user.comments:<id>  4 community.banned  5 signals  6 activity:<n> of now
-- ARGV 1 beginning of the keys of accounts  2 <n>  3 <id> of the author  4 number of the comment that it replies to; -1: none  5 body  6 now
--      7 how many comments a thread may have  8 how deep replies may be  9 how many comments the author may write in 60 seconds  10 beginning of the URL
--      of the source of a member
-- returns {'banned' | 'missing' | 'removed' | 'held' | 'locked' | 'full' | 'deep' | 'often', 0} or {'added', number of the comment}
redis.call('XLEN', KEYS[5]) -- an error before the first change
if redis.call('ZSCORE', KEYS[4], ARGV[3]) then return {'banned', 0} end
local is, depth, parent = redis.call('HMGET', KEYS[1], 'id', 'del', 'locked', 'state', 'user_id', 'source'), 0, nil
if not is[1] then return {'missing', 0} end
for _, own in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], ARGV[6], ARGV[6])) do -- a repetition of this call adds nothing
  local n, c = string.match(own, '^(%d+)-(%d+)$')
  local text = n == ARGV[2] and redis.call('HGET', KEYS[2], c)
  local before = text and cjson.decode(text)
  if before and before.body == ARGV[5] and before.parent_id == tonumber(ARGV[4]) then return {'added', tonumber(c)} end
end
if is[2] or unseen(is[4], is[5], ARGV[3]) then return {'removed', 0} end
if is[4] == 'held' or is[4] == 'rejected' then return {'held', 0} end
if is[3] then return {'locked', 0} end
if ARGV[4] ~= '-1' then
  local text = redis.call('HGET', KEYS[2], ARGV[4])
  if not text then return {'missing', 0} end
  parent = cjson.decode(text)
  if parent.del or unseen(parent.state, string.format('%d', parent.user_id), ARGV[3]) then return {'removed', 0} end
  depth = (parent.depth or 0) + 1
end
if redis.call('HLEN', KEYS[2]) > tonumber(ARGV[7]) then return {'full', 0} end
if depth > tonumber(ARGV[8]) then return {'deep', 0} end
if redis.call('ZCOUNT', KEYS[3], '(' .. (ARGV[6] - 60), '+inf') >= tonumber(ARGV[9]) then return {'often', 0} end
local state = parent and parent.state or is[4] -- below what only its author sees
local c = redis.call('HINCRBY', KEYS[2], 'nextid', 1)
put_comment(KEYS[1], KEYS[2], c, {
  body = ARGV[5], parent_id = tonumber(ARGV[4]), user_id = tonumber(ARGV[3]), ctime = tonumber(ARGV[6]), up = {tonumber(ARGV[3])}, score = 0, depth = depth, state = state or nil,
})
if not state then
  redis.call('HINCRBY', KEYS[1], 'comments', 1)
  redis.call('XADD', KEYS[5], '*', 'kind', 'comment_created', 'feed_url', is[6] or ARGV[10] .. is[5], 'time', ARGV[6], 'entry', 'Entry:' .. ARGV[2],
    'comment', c, 'parent', math.max(0, tonumber(ARGV[4])))
  count(KEYS[6], 'signals', 1)
elseif state == 'hidden' then
  count_hidden(KEYS[1], tonumber(ARGV[3]), 1)
end
redis.call('ZADD', KEYS[3], ARGV[6], ARGV[2] .. '-' .. c)
if parent and parent.user_id ~= tonumber(ARGV[3]) and not state then
  local account = ARGV[1] .. string.format('%d', parent.user_id)
  if redis.call('EXISTS', account) == 1 then redis.call('HINCRBY', account, 'replies', 1) end
end
return {'added', c}
