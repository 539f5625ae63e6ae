-- Replaces the body of a version from which an entry was removed, or deletes the version.
-- KEYS 1 hub:body:<topic>:<n>
-- ARGV 1 its posts as they were read  2 its posts now  3 its entries now  4 its body now; '' to delete it
-- returns 1, 0 if the version has other posts by now or is no longer stored
if redis.call('HGET', KEYS[1], 'posts') ~= ARGV[1] then return 0 end
if ARGV[4] == '' then
  redis.call('UNLINK', KEYS[1])
else
  redis.call('HSET', KEYS[1], 'posts', ARGV[2], 'entries', ARGV[3], 'body', ARGV[4])
end
return 1
