//go:build !linux

package publish

import "net"

// probe knows nothing on this system: receipts are settled by what the connection's reader sees, and by time.
func probe(net.Conn) wire { return wire{} }
