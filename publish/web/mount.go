package web

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Mount is the place of a room: below a path of every host, or at the root of a host of its own. The zero value is the root of every host.
type Mount struct {
	path string // empty: the root
	host string // empty: every host
	base string // public address of the root of the host, without trailing slash
}

// NewMount returns the place below a path, or at the root of a host if that is not empty. The host has the scheme and port of the public URL. It
// comes from the configuration: a name in a request appears in no link.
func NewMount(path, host, publicURL string) Mount {
	m := Mount{path: path, base: strings.TrimSuffix(publicURL, "/")}
	if host == "" {
		return m
	}
	m.path, m.host, m.base = "", host, "http://"+host
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		m.base = u.Scheme + "://" + host
		if port := u.Port(); port != "" {
			m.base += ":" + port
		}
	}
	return m
}

// Host returns the host of the mount; empty: every host.
func (m Mount) Host() string { return m.host }

// Pattern returns the pattern of a route at a path that begins with a slash.
func (m Mount) Pattern(method, path string) string {
	if path == "/" && m.path != "" {
		return method + " " + m.path
	}
	if path == "/" {
		path = "/{$}"
	}
	return method + " " + m.host + m.path + path
}

// Path returns the path of a page, as links on pages of the room have it.
func (m Mount) Path(path string) string {
	if path == "/" {
		return cmp.Or(m.path, path)
	}
	return m.path + path
}

// URL returns the public address of a page.
func (m Mount) URL(path string) string { return m.base + m.Path(path) }

// shared are the paths that hosts of rooms serve, too: everyone signs in and has an account there.
var shared = []string{"/assets/", "/login", "/logout", "/sign-up", "/welcome", "/reset-password", "/account"}

// hostOf returns the host of a pattern; empty: every host.
func hostOf(pattern string) string {
	_, path, _ := strings.Cut(pattern, " ")
	host, _, _ := strings.Cut(path, "/")
	return host
}

// HasHost reports whether a request is for the host of a room.
func (k *Kit) HasHost(r *http.Request) bool {
	_, own := k.site.Load().ownHost(r)
	return own
}

// ownHost returns the name of the site if a request is for the host of a room.
func (m *mounted) ownHost(r *http.Request) (name string, own bool) {
	if len(m.hosts) == 0 {
		return "", false
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	name, own = m.hosts[strings.ToLower(host)]
	return name, own
}

// handlerOf returns what serves a request, with its pattern. The host of a room serves the pages of the room and those that are shared.
// pattern is empty if nothing does: then fallback knows the methods of the path, if the path exists.
func (m *mounted) handlerOf(r *http.Request) (fallback http.Handler, pattern string) {
	fallback, pattern = m.mux.Handler(r)
	if _, own := m.ownHost(r); pattern == "" || hostOf(pattern) != "" || !own {
		return fallback, pattern
	}
	if slices.ContainsFunc(shared, func(path string) bool {
		return r.URL.Path == path || strings.HasPrefix(r.URL.Path, strings.TrimSuffix(path, "/")+"/")
	}) {
		return fallback, pattern
	}
	return http.NotFoundHandler(), ""
}
