// Package route leads each command to the server that has its keys: the one there is, the master that Sentinels name, or
// a node of a Redis Cluster. It hands out what the client library calls a connection, so that who uses it need not know.
//
// What a server may have carried out is never sent again. Sent again is what certainly was not: where a node could not be
// reached at all, or answered MOVED, ASK or TRYAGAIN. While a master is being replaced calls fail at once; to wait, or to
// try again, is up to the caller.
package route
