// Package address parses the URL of the store: one Redis, a master behind Sentinels, or a Redis Cluster. Its errors do not contain the
// URL, which may include a password.
package address

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Kind is the kind of servers at an address.
type Kind string

// The kinds.
const (
	One      Kind = "one"      // one server
	Sentinel Kind = "sentinel" // Sentinels, which name the master
	Cluster  Kind = "cluster"  // nodes of a cluster, which name the others
)

// Forms shows the forms of a URL, for messages.
const Forms = "write it like redis://:password@127.0.0.1:6379/0, rediss://… for TLS, unix:///run/redis.sock, " +
	"redis+sentinel://:password@host1:26379,host2:26379/master-name/0, or redis+cluster://host1:6379,host2:6379"

// Address locates the store.
type Address struct {
	Kind     Kind
	Socket   string   // path of a unix socket; empty: see Hosts
	Hosts    []string // host:port of the server, of the Sentinels, or of some nodes
	TLS      bool     // to all of them
	Files    TLSFiles
	Login    Login  // at Redis
	Sentinel Login  // at the Sentinels
	Master   string // its name at the Sentinels
	Database int
}

// Login is a user and a password; both may be empty.
type Login struct{ User, Password string }

// TLSFiles are absolute paths of PEM files.
type TLSFiles struct {
	CA   string // CA certificates for the servers; empty: those of the system
	Cert string // client certificate; empty: none
	Key  string // its key
}

// Parse parses a URL: redis://[user:password@]host[:port][/database], unix://[user:password@]/path,
// redis+sentinel://[user:password@]host[:port],…/master[/database][?sentinel_user=…&sentinel_password=…] or
// redis+cluster://[user:password@]host[:port],…, and with rediss instead of redis over TLS, which takes
// ?tls_ca=/path&tls_cert=/path&tls_key=/path.
func Parse(text string) (Address, error) {
	u, hosts, err := split(text)
	if err != nil {
		return Address{}, err
	}
	password, _ := u.User.Password()
	a := Address{Kind: One, TLS: strings.HasPrefix(u.Scheme, "rediss"), Login: Login{u.User.Username(), password}}
	port, query := "6379", u.Query()
	path := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch strings.Replace(u.Scheme, "rediss", "redis", 1) {
	case "unix":
		if hosts != "" || !strings.HasPrefix(u.Path, "/") || u.Path == "/" {
			return Address{}, errors.New("the URL names no absolute path of a socket: unix:///run/redis.sock has three slashes")
		}
		a.Socket, path = u.Path, []string{""}
	case "redis":
	case "redis+sentinel":
		a.Kind, port = Sentinel, "26379"
		a.Master, path = path[0], append(path[1:], "")
		if a.Master == "" {
			return Address{}, errors.New("the path of the URL does not name the master, as in redis+sentinel://host:26379/mymaster")
		}
		a.Sentinel = Login{removeValue(query, "sentinel_user"), removeValue(query, "sentinel_password")}
	case "redis+cluster":
		a.Kind = Cluster
	default:
		return Address{}, errors.New("the scheme is none of redis, rediss, unix, redis+sentinel, rediss+sentinel, redis+cluster and rediss+cluster")
	}
	if a.TLS {
		if a.Files, err = tlsFiles(query); err != nil {
			return Address{}, err
		}
	}
	if len(query) > 0 || u.ForceQuery || u.Fragment != "" {
		return Address{}, errors.New("the URL has an unknown query parameter or a fragment")
	}
	if a.Socket == "" {
		if a.Hosts, err = hostList(hosts, port, a.Kind != One); err != nil {
			return Address{}, err
		}
	}
	database, err := strconv.ParseUint("0"+path[0], 10, 16)
	if err != nil || len(path) > 1 && strings.Join(path[1:], "") != "" {
		return Address{}, errors.New("the path of the URL is not the number of a database")
	}
	if a.Kind == Cluster && database > 0 {
		return Address{}, errors.New("a cluster has only database 0")
	}
	a.Database = int(database)
	return a, nil
}

// removeValue returns a value of a query and deletes it.
func removeValue(query url.Values, name string) string {
	defer query.Del(name)
	return query.Get(name)
}

// tlsFiles returns the files for TLS of a query and deletes them.
func tlsFiles(query url.Values) (f TLSFiles, err error) {
	for name, path := range map[string]*string{"tls_ca": &f.CA, "tls_cert": &f.Cert, "tls_key": &f.Key} {
		if *path = removeValue(query, name); *path != "" && !strings.HasPrefix(*path, "/") {
			return f, errors.New(name + " in the URL is not an absolute path of a file")
		}
	}
	if (f.Cert == "") != (f.Key == "") {
		return f, errors.New("the URL has only one of tls_cert and tls_key; both are required")
	}
	return f, nil
}

// split parses a URL and returns its hosts separately, because net/url does not support a list of hosts.
func split(text string) (u *url.URL, hosts string, err error) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return nil, "", errors.New("the URL has no scheme")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@') + 1
	hosts = rest[at:end]
	u, err = url.Parse(scheme + "://" + rest[:at] + rest[end:])
	if err != nil {
		return nil, "", errors.New("the URL cannot be read; special characters of a password are written %40, %2F …")
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return nil, "", errors.New("the query of the URL cannot be read; special characters are written %40, %2F …")
	}
	return u, hosts, nil
}

// hostList splits hosts, and adds the port to those without one.
func hostList(text, port string, many bool) ([]string, error) {
	hosts := strings.Split(text, ",")
	if len(hosts) > 1 && !many {
		return nil, errors.New("the URL names several hosts: use redis+sentinel:// or redis+cluster://")
	}
	for i, host := range hosts {
		name, its, err := net.SplitHostPort(host)
		if err != nil { // no port, or not a host
			name, its = strings.Trim(host, "[]"), port
		}
		if n, err := strconv.ParseUint(its, 10, 16); err != nil || n == 0 {
			return nil, errors.New("the URL cannot be read: a port is a number up to 65535")
		}
		if _, err := netip.ParseAddr(name); name == "" || strings.ContainsAny(name, " @/[]") ||
			strings.Contains(name, ":") && (err != nil || host[0] != '[') {
			return nil, errors.New("the URL names no host")
		}
		hosts[i] = net.JoinHostPort(name, its)
	}
	return hosts, nil
}

// Masked returns a URL with its secrets replaced by mask; only mask if the URL cannot be parsed.
func Masked(text, mask string) string {
	if text == "" {
		return ""
	}
	u, hosts, err := split(text)
	if err != nil {
		return mask
	}
	shown := u.Scheme + "://"
	if u.User != nil {
		shown += mask + "@"
	}
	shown += hosts + u.EscapedPath()
	if u.RawQuery != "" {
		shown += "?" + mask
	}
	return shown
}
