-- Compares the entries of a document with what is stored; writes nothing.
-- KEYS 1 <feed_url>:guidmap  2 <feed_url>:dead
-- ARGV 1 key prefix, then guid and digest of each entry
-- returns a string with one letter an entry: '=' same, 'm' changed, '+' new, 'x' expired before
local guids, out, buried = {}, {}, redis.call('EXISTS', KEYS[2]) == 1
for i = 2, #ARGV, 2 do guids[#guids + 1] = ARGV[i] end
for first = 1, #guids, 500 do
  local last = math.min(first + 499, #guids)
  local ids = redis.call('HMGET', KEYS[1], unpack(guids, first, last))
  for j = first, last do
    local id = ids[j - first + 1]
    if id then
      out[j] = redis.call('HGET', ARGV[1] .. id, 'digest') == ARGV[2 * j + 1] and '=' or 'm'
    else
      out[j] = buried and redis.call('ZSCORE', KEYS[2], guids[j]) and 'x' or '+'
    end
  end
end
return table.concat(out)
