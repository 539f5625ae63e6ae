package arrival

import (
	"net"
	"time"
)

// Judge returns what w concludes about a response that the client's system acknowledged age ago, if the client has neither
// sent another request nor left.
func Judge(w *Watcher, age time.Duration) (delivered, known bool) {
	return (&Conn{delay: w.delay}).judge(state{}, false, age)
}

// Accepted returns c as a watched listener accepts it.
func Accepted(c net.Conn) net.Conn { return newConn(c, time.Second) }
