-- Marks news as deleted, removes it from both lists, and frees its URL.
-- fragment owned
-- KEYS 1 news:<n>  2 news.top  3 news.cron
-- ARGV 1 prefix  2 <n>  3 <id> of the account that deletes  4 1: it may delete all news at any time  5 now
--      6 seconds in which an author deletes
-- returns 'missing', 'owner', 'closed' or 'deleted'
local why = refused(KEYS[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
if why and not (why == 'closed' and redis.call('HEXISTS', KEYS[1], 'del') == 1) then return why end
delete(ARGV[1], KEYS[1], ARGV[2], KEYS[2], KEYS[3])
return 'deleted'
