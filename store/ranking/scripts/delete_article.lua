-- Removes an article from all lists and deletes its votes.
-- fragment groups
-- fragment article
-- ARGV 11 1: its entry was taken down and must not become an article again  12... names of the rankings
-- returns 1
for _, name in ipairs(names_in(article, 'groups')) do leave(name) end
for _, name in ipairs(names_in(article, 'lists')) do
  if redis.call('ZREM', prefix .. 'list:' .. name .. ':order', member) == 1 then redis.call('HINCRBY', prefix .. 'list:' .. name, 'version', 1) end
end
for i = 12, #ARGV do redis.call('ZREM', prefix .. 'rank:' .. ARGV[i], member) end
redis.call('ZREM', times, member)
if redis.call('ZREM', scores, member) == 1 then redis.call('DECR', count) end
redis.call('UNLINK', article, up, down, prefix .. 'anonymous:' .. string.match(member, '%d+$'))
if ARGV[11] == '1' then redis.call('HSET', article, 'del', 1) end
return 1
