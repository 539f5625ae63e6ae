-- Compares the entries of a document with the stored entries. It writes nothing.
-- KEYS 1 <feed_url>:guidmap  2 <feed_url>:dead  3 <feed_url>:alias  4 <feed_url>:takedowns
-- ARGV 1 key prefix, then for each entry: guid, digest, date_published, aliases separated by spaces
-- returns the number of stored entries, 1 if entries were taken down, then for each entry:
--      '=Entry:5' same, '~Entry:5' same except the publication date, 'mEntry:5' changed, '+' unknown,
--      'oEntry:5 <digest> <date_published>' known, with a digest of another version,
--      'x<time>' expired; time is when the source last listed it, or when it expired; 'd' taken down,
--      {alias, 'Entry:5', guid, digest, date_published, title} its guid is unknown, and the stored entry has this alias
local out, prefix = {}, ARGV[1]
local known, buried = redis.call('EXISTS', KEYS[1]) == 1, redis.call('EXISTS', KEYS[2]) == 1
local takedowns = redis.call('EXISTS', KEYS[4]) == 1

local function taken_down(guid, aliases)
  if redis.call('ZSCORE', KEYS[4], guid) then return true end
  for alias in aliases:gmatch('%S+') do
    if redis.call('ZSCORE', KEYS[4], alias) then return true end
  end
end

local function unknown(guid, aliases)
  if takedowns and taken_down(guid, aliases) then return 'd' end
  local died = buried and redis.call('ZSCORE', KEYS[2], guid)
  if died then return 'x' .. died end
  for alias in aliases:gmatch('%S+') do
    died = buried and redis.call('ZSCORE', KEYS[2], alias)
    if died then return 'x' .. died end
    local id = known and redis.call('HGET', KEYS[3], alias)
    if id and id ~= '' then
      local e = redis.call('HMGET', prefix .. id, 'guid', 'digest', 'date_published', 'title')
      if e[1] then return {alias, id, e[1], e[2] or '', e[3] or '', e[4] or ''} end
    end
  end
  return '+'
end

local guids = {}
for i = 2, #ARGV, 4 do guids[#guids + 1] = ARGV[i] end
for first = 1, #guids, 500 do
  local last = math.min(first + 499, #guids)
  local ids = known and redis.call('HMGET', KEYS[1], unpack(guids, first, last)) or {}
  for j = first, last do
    local id, at = ids[j - first + 1], 4 * j - 2
    if id then
      local e = redis.call('HMGET', prefix .. id, 'digest', 'date_published')
      if e[1] and e[1]:sub(1, 2) ~= ARGV[at + 1]:sub(1, 2) then
        out[j] = 'o' .. id .. ' ' .. e[1] .. ' ' .. (e[2] or '')
      elseif e[1] ~= ARGV[at + 1] then
        out[j] = 'm' .. id
      else
        out[j] = ((e[2] or '') == ARGV[at + 2] and '=' or '~') .. id
      end
    else
      out[j] = unknown(guids[j], ARGV[at + 3])
    end
  end
end
table.insert(out, 1, known and redis.call('HLEN', KEYS[1]) or 0)
table.insert(out, 2, takedowns and 1 or 0)
return out
