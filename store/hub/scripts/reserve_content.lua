-- Stores the size of a document of an open topic that its publisher sent.
-- KEYS 1 hub:open  2 hub:open:bytes
-- ARGV 1 topic  2 bytes of the document  3 maximum of bytes of all documents
-- returns 1; 0 if the topic does not exist, -1 if there are too many bytes
-- fragment reserve_bytes
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return reserve_bytes(KEYS[2], ARGV[1], ARGV[2], ARGV[3]) and 1 or -1
