// Package embedded is the private Redis of one daemon: nothing to set up, nothing to connect to.
//
// Where redis-server or valkey-server (6.2 or newer) is installed, it runs as a child of the daemon, listens on a unix
// socket only and keeps its data in the daemon's directory; each write is on disk before it is answered. Where neither
// is installed, an engine in this process takes its place and keeps nothing.
//
// The directory holds
//
//	lock            held with flock(2) by the daemon; its pid, for the message to a second one
//	server-version  the server that last wrote the data, "redis-server 7.0.15"
//	server-pid      pid and start of the child, so that one that outlived its daemon can be ended
//	redis.sock      the socket; in a private directory of os.TempDir where this path is too long for one
//	appendonlydir   the data, as the server keeps it (a server before 7.0 keeps appendonly.aof)
//
// A daemon that is killed cannot end its child. On Linux the kernel does it in its place; everywhere, the next daemon
// ends what is left before it starts its own.
package embedded
