package daemon

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/config"
)

// openPages reports whether a request may see the pages without signing in: any request if the operator disabled authentication,
// and in the demo a browser on this machine. Requests by a foreign host name (DNS rebinding) or through a proxy do not count.
func (a *app) openPages(r *http.Request) bool {
	if a.cfg().InsecureNoAuth || !a.demo {
		return a.cfg().InsecureNoAuth
	}
	return namesLoopback(r) && !isForwarded(r) && isLoopback(a.listener.Addr())
}

// isForwarded reports whether a proxy has added its header fields to a request.
func isForwarded(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}, func(name string) bool {
		return r.Header.Get(name) != ""
	})
}

// namesLoopback reports whether the Host of a request is localhost or a loopback address. That of a page of another site whose
// name resolves to this machine (DNS rebinding) is not.
func namesLoopback(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return config.IsLoopback(strings.Trim(host, "[]"))
}

// isLoopback reports whether an address is reachable from this machine only.
func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
