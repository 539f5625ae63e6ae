-- decided returns the state of an article in a feed in which it was ever published, or false if it is unpublished in all of them.
local function decided(article, prefix, uuid)
  for _, field in ipairs(redis.call('HKEYS', article)) do
    local typ = field:match('^revision_(.+)$')
    for _, state in ipairs(typ and {'published', 'withdrawn', 'expired', 'imported'} or {}) do
      if redis.call('ZSCORE', prefix .. state .. '_' .. typ, uuid) then return state end
    end
  end
  return false
end

-- to_inbox adds an article to the inbox, or updates its place there. A date in the future would keep it at the top.
local function to_inbox(article, inbox, uuid)
  local dates = redis.call('HMGET', article, 'date_editorially_published', 'date_updated')
  local published, updated = tonumber(dates[1] or ''), tonumber(dates[2] or '') or 0
  if not published or published > updated then published = updated end
  redis.call('ZADD', inbox, published, uuid)
end
