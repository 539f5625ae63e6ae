// Package embedded runs the private Redis of one daemon, which requires no setup.
//
// If redis-server or valkey-server (6.2 or newer) is installed, it runs as a child of the daemon, listens on a unix socket only, and
// stores its data in the directory of the daemon; each write is on disk before the reply. Otherwise an engine in this process replaces
// it, and stores nothing.
//
// The directory contains
//
//	lock            locked by the daemon with flock(2); its pid, for the error of a second daemon
//	server-version  the server that last wrote the data, "redis-server 7.0.15"
//	server-pid      pid and start of the child, so that the next daemon can end a child that outlived its daemon
//	redis.sock      the socket; in a private directory of os.TempDir if this path is too long for a socket
//	appendonlydir   the data, in the format of the server (before version 7.0 appendonly.aof)
//
// Next to the directory is <directory>.record, which says that the server held data, and in which files. If they are missing or empty
// at the next start, the server would begin with an empty store; Start fails with ErrLost instead.
//
// A daemon that is killed cannot end its child. On Linux the kernel ends the child; on every system the next daemon ends a leftover
// before it starts its own child.
package embedded
