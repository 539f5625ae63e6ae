// Package subscriber follows a feed by WebSub without a daemon: it subscribes at the hub, receives documents, and prints new
// entries.
package subscriber
