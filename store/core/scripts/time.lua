-- Reads the clock of the server.
-- KEYS 1 ready: chooses the server in a cluster
-- returns seconds, microseconds
return redis.call('TIME')
