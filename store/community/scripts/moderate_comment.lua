-- Changes who sees a comment. It counts as an unread reply while it is visible.
-- KEYS 1 news:<n>  2 thread:comment:<n>
-- ARGV 1 number of the comment  2 visible, hidden or removed  3 beginning of the keys of accounts
-- returns {'missing' | 'removed', ''}, or {'moderated', what it was}
-- fragment count_unread
-- fragment count_hidden
-- fragment put_comment
local text = ARGV[1] ~= 'nextid' and redis.call('HGET', KEYS[2], ARGV[1])
if not text then return {'missing', ''} end
local comment = cjson.decode(text)
if comment.del then return {'removed', ''} end
local before = comment.state or 'visible'
if before == ARGV[2] then return {'moderated', before} end
comment.state = ARGV[2] ~= 'visible' and ARGV[2] or nil
if before == 'visible' then
  redis.call('HINCRBY', KEYS[1], 'comments', -1)
  count_unread(KEYS[2], ARGV[3], comment, -1)
elseif not comment.state then
  redis.call('HINCRBY', KEYS[1], 'comments', 1)
  count_unread(KEYS[2], ARGV[3], comment, 1)
end
if before == 'hidden' then count_hidden(KEYS[1], comment.user_id, -1) end
if comment.state == 'hidden' then count_hidden(KEYS[1], comment.user_id, 1) end
put_comment(KEYS[1], KEYS[2], ARGV[1], comment)
return {'moderated', before}
