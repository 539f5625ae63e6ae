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
func probe(c net.Conn) (s state) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return s
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return s
	}
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return // not TCP
		}
		code, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
		s = state{
			known:    true,
			acked:    int64(info.Bytes_acked),
			received: info.Bytes_received,
			segments: info.Segs_in,
			ended:    info.State == tcpCloseWait || info.State == tcpLastAck || info.State == tcpClosing,
			closed:   info.State == tcpClose,
			reset:    err == nil && code != 0,
		}
		if s.ended {
			s.received-- // the kernel counts the end as a byte
		}
	})
	if err != nil {
		s.reset = true // the connection was closed below this package, and nothing more will be known
	}
	return s
}
