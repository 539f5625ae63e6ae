-- Copies some entries of the audit log without what identifies removed accounts. The last call replaces the log by the copy.
-- KEYS 1 audit  2 audit:copy
-- ARGV 1 beginning of the keys of articles  2 how many entries; then the numbers of the removed accounts
-- returns 1 the log is replaced, 0 more entries follow
local removed = {}
for i = 3, #ARGV do removed[ARGV[i]] = 'removed account ' .. ARGV[i] end

-- erase_history changes the entries that are stored with an article.
local function erase_history(key)
  for i, line in ipairs(redis.call('LRANGE', key, 0, -1)) do
    local ok, entry = pcall(cjson.decode, line)
    local name = ok and entry.account and removed[string.format('%d', entry.account)]
    if name then
      entry.who, entry.from = name, ''
      redis.call('LSET', key, i - 1, cjson.encode(entry))
    end
  end
end

local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local entries = redis.call('XRANGE', KEYS[1], last and '(' .. last[1] or '-', '+', 'COUNT', ARGV[2])
for _, entry in ipairs(entries) do
  local values, at = entry[2], {} -- at: where the value of a field is
  for i = 1, #values, 2 do at[values[i]] = i + 1 end
  local by = at.account and removed[values[at.account]]
  local about = at.about and removed[values[at.about]]
  if by then
    values[at.who], values[at.from] = by, ''
    if values[at.kind] == 'article' then erase_history(ARGV[1] .. values[at.id] .. ':deeds') end
  end
  if about then
    values[at.name] = about
    if at.reason then values[at.reason] = '' end
    if values[at.kind] == 'entry' then
      values[at.before], values[at.after] = '', '' -- titles
    else
      values[at.id] = ''
    end
  end
  redis.call('XADD', KEYS[2], entry[1], unpack(values))
end
if #entries == tonumber(ARGV[2]) then return 0 end
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('RENAME', KEYS[2], KEYS[1]) end
return 1
