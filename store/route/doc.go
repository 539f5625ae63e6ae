// Package route sends each command to the server that has its keys: a single Redis, the master that Sentinels name, or a node of a
// Redis Cluster. All three look like one pool of redigo connections.
//
// A command that a server may have executed is never sent again. A command is sent again only if no connection to a node could be
// opened, or if the node replied MOVED, ASK or TRYAGAIN. While a master is being replaced calls fail at once; the caller decides
// whether to wait or to retry.
//
// # Why not mna/redisc and FZambia/sentinel
//
// Read in their sources: the connections of redisc that follow redirections reject pipelines, and its slot map is read again only
// after MOVED, which a hung master never replies; a pipeline of 64 keys in as many slots takes 0.16 ms, the same commands one by
// one 1.46 ms. FZambia/sentinel notices a new master by ROLE at each borrow, which doubles a command from 65 µs to 133 µs, and
// waits for its Sentinels one after the other (go test -run '^$' -bench . ./store/route); watching all of them, no call takes more
// than 3.0 s while a master hangs (go test -run Hang -v ./store/route).
package route
