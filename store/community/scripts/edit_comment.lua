-- Changes the body of a comment, or deletes it: the body goes, the replies stay, and it no longer counts as an unread reply.
-- KEYS 1 news:<n>  2 thread:comment:<n>  3 community.banned
-- ARGV 1 number of the comment  2 <id> of the account that edits  3 1: it may delete all comments at any time  4 now  5 seconds in which an
--      author edits  6 body; '' deletes  7 beginning of the keys of accounts
-- returns 'banned', 'missing', 'owner', 'closed', 'removed' or 'edited'
-- fragment count_unread
-- fragment count_hidden
-- fragment put_comment
local text = ARGV[1] ~= 'nextid' and redis.call('HGET', KEYS[2], ARGV[1])
if not text then return 'missing' end
local comment, deletes = cjson.decode(text), ARGV[6] == ''
if not deletes and redis.call('ZSCORE', KEYS[3], ARGV[2]) then return 'banned' end
if not (deletes and ARGV[3] == '1') then
  if comment.user_id ~= tonumber(ARGV[2]) then return 'owner' end
  if not (deletes and comment.del) and ARGV[4] - comment.ctime >= tonumber(ARGV[5]) then return 'closed' end
end
if comment.state == 'removed' and not deletes then return 'removed' end
if comment.del then return deletes and 'edited' or 'removed' end
comment.body = ARGV[6]
if deletes then
  comment.del = 1
  if not comment.state then
    redis.call('HINCRBY', KEYS[1], 'comments', -1)
    count_unread(KEYS[2], ARGV[7], comment, -1)
  elseif comment.state == 'hidden' then
    count_hidden(KEYS[1], comment.user_id, -1)
  end
end
put_comment(KEYS[1], KEYS[2], ARGV[1], comment)
return 'edited'
