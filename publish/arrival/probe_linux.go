package arrival

import (
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

// probe asks the kernel about a connection without disturbing its readers and writers. A nil raw has no answer.
func probe(raw syscall.RawConn) (s state) {
	if raw == nil {
		return s
	}
	err := raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return // not TCP
		}
		s = state{
			known:    true,
			acked:    int64(info.Bytes_acked),
			received: info.Bytes_received,
			segments: info.Segs_in,
			ended:    info.State == tcpCloseWait || info.State == tcpLastAck || info.State == tcpClosing,
			closed:   info.State == tcpClose,
		}
		if s.ended {
			s.received-- // the kernel counts the end as a byte
		}
		if s.closed { // by a reset, or in good order
			code, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
			s.reset = err == nil && code != 0
		}
	})
	if err != nil {
		s.reset = true // the connection was closed below this package, and nothing more will be known
	}
	return s
}
