-- count_unread adds to the unread replies of the member whose comment a reply answers, unless the member has seen the reply or wrote it.
local function count_unread(thread, accounts, reply, by)
  local text = redis.call('HGET', thread, string.format('%d', reply.parent_id))
  local answered = text and cjson.decode(text)
  if not answered or answered.user_id == reply.user_id then return end
  local account = accounts .. string.format('%d', answered.user_id)
  local has = redis.call('HMGET', account, 'id', 'replies', 'replies_seen')
  if not has[1] or reply.ctime < (tonumber(has[3]) or 0) then return end
  redis.call('HSET', account, 'replies', math.max(0, (tonumber(has[2]) or 0) + by))
end
