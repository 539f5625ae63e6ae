package arrival

import (
	"net"
	"time"
)

// Accepted returns c as a watched listener accepts it.
func Accepted(c net.Conn) net.Conn { return newConn(c, time.Second) }
