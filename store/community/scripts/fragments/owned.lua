-- refused returns why an account may not change news: 'missing', 'owner' or 'closed'; nothing: it may. While no one
-- else has seen the news, its author may.
local function refused(news, user, moderates, now, window)
  local is = redis.call('HMGET', news, 'user_id', 'ctime', 'held')
  if not is[2] then return 'missing' end
  if moderates == '1' then return end
  if is[1] ~= user then return 'owner' end
  if not is[3] and now - is[2] >= tonumber(window) then return 'closed' end
end

-- free removes the key by which a URL leads to news.
local function free(prefix, url, n)
  local key = prefix .. 'url:' .. url
  if redis.call('GET', key) == n then redis.call('UNLINK', key) end
end

-- lead makes a URL lead to news for some seconds, unless it leads to other news.
local function lead(prefix, url, n, seconds)
  local key = prefix .. 'url:' .. url
  if string.sub(url, 1, 7) ~= 'text://' and (redis.call('GET', key) or n) == n then redis.call('SET', key, n, 'EX', seconds) end
end

-- delete marks news as deleted, removes it from both lists and from what waits for a moderator, and frees its URL. What a member submitted stays so;
-- what was offered is listed until its entry is gone.
local function delete(prefix, news, n, top, cron)
  free(prefix, redis.call('HGET', news, 'url'), n)
  redis.call('HSET', news, 'del', 1)
  redis.call('ZREM', prefix .. 'reports', n)
  redis.call('ZREM', prefix .. 'news.held', n)
  redis.call('ZREM', top, n)
  redis.call('ZREM', cron, n)
  local is = redis.call('HMGET', news, 'source', 'ctime')
  if is[1] then redis.call('ZADD', prefix .. 'news.unlisted', is[2], n) else redis.call('ZREM', prefix .. 'news.unlisted', n) end
end
