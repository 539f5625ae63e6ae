-- Computes score and rank of some news at their age now.
-- fragment rank
-- KEYS 1 news.top
-- ARGV 1 prefix  2 now  3… numbers of the news
-- returns 1
for i = 3, #ARGV do rank(ARGV[1] .. 'news:' .. ARGV[i], ARGV[i], KEYS[1], tonumber(ARGV[2])) end
return 1
