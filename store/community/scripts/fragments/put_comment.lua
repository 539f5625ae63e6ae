-- put_comment stores a comment and changes the revision of the thread, which follows from all comments that were stored.
local function put_comment(news, thread, c, comment)
  local text = cjson.encode(comment)
  redis.call('HSET', thread, c, text)
  if redis.call('EXISTS', news) == 0 then return end
  local before = redis.call('HGET', news, 'revision') or ''
  redis.call('HSET', news, 'revision', string.sub(redis.sha1hex(before .. ' ' .. c .. ' ' .. text), 1, 16))
end
