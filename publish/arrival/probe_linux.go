package arrival

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// States of a TCP connection, from the kernel's include/net/tcp_states.h.
const (
	tcpClose     = 7
	tcpCloseWait = 8
	tcpLastAck   = 9
	tcpClosing   = 11
)

// probe asks the kernel about a connection without disturbing its readers and writers.
func probe(c net.Conn) state {
	var s state
	sc, ok := c.(syscall.Conn)
	if !ok {
		return s
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return s
	}
	_ = raw.Control(func(fd uintptr) { // an error leaves the zero state
		if unacked, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err == nil {
			s.unacked = unacked
		}
		if code, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); err == nil {
			s.reset = code != 0
		}
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return // not TCP
		}
		s.closed = info.State == tcpClose
		s.ended = info.State == tcpCloseWait || info.State == tcpLastAck || info.State == tcpClosing
	})
	return s
}
