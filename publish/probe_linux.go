package publish

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// The states of a TCP connection that matter here, as in the kernel's include/net/tcp_states.h.
const (
	tcpClose     = 7
	tcpCloseWait = 8
	tcpLastAck   = 9
	tcpClosing   = 11
)

// probe asks the kernel about a connection without disturbing who reads or writes on it.
func probe(c net.Conn) wire {
	var w wire
	sc, ok := c.(syscall.Conn)
	if !ok {
		return w
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return w
	}
	_ = raw.Control(func(fd uintptr) { // an error leaves the zero wire, which says that nothing is known
		if unacked, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err == nil {
			w.unacked = unacked
		}
		if code, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); err == nil {
			w.reset = code != 0
		}
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return // not TCP
		}
		w.closed = info.State == tcpClose
		w.ended = info.State == tcpCloseWait || info.State == tcpLastAck || info.State == tcpClosing
	})
	return w
}
