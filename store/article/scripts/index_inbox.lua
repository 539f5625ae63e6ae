-- Adds an article that an older version stored to the inbox, if it has no decision.
-- KEYS 1 article:<uuid>  2 inbox  3 dismissed
-- ARGV 1 uuid  2 key prefix, of the keys of the feeds in which it was ever published
-- returns 1: it is in the inbox; 0: it is not
-- fragment inbox
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('ZSCORE', KEYS[3], ARGV[1]) or decided(KEYS[1], ARGV[2], ARGV[1]) then return 0 end
to_inbox(KEYS[1], KEYS[2], ARGV[1])
return 1
