// Package signals streams the signals of the outbox to HTTP clients as server-sent events.
//
// One reader follows the outbox for all clients. A client that reconnects with the id of its last signal gets every later
// signal exactly once.
package signals
