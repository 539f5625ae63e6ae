-- Removes an article from a group.
-- fragment groups
-- fragment article
-- KEYS 7 group:<name>  8 score:<name>
-- ARGV 11 name of the group
-- returns 1
redis.call('SREM', KEYS[7], member)
redis.call('ZREM', KEYS[8], member)
leave_group(article, ARGV[11])
return 1
