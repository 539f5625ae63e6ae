package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/config"
)

// apiToken is the token of the API: the configured one, or the one that the daemon made and keeps in its data directory,
// where the commands of the same user find it.
func apiToken(cfg *config.Config, create bool) (string, error) {
	if t := cfg.API.Token.Reveal(); t != "" {
		return t, nil
	}
	return kept(filepath.Join(cfg.DataDir, "token"), create)
}

// daemonID tells this daemon from others that share the store, the same after a restart.
func daemonID(cfg *config.Config) string {
	name, err := kept(filepath.Join(cfg.DataDir, "id"), true)
	if err != nil {
		return "" // then the rooms know no owner, and leases and signals are taken over after their time
	}
	return name
}

// kept reads a random word from a file, making both where the file does not exist and it may.
func kept(path string, create bool) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(text)) != "" {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if !create {
		return "", fmt.Errorf("no token in %s: start the daemon first, or set api.token or data_dir as it has them", path)
	}
	word := rand.Text()
	return word, os.WriteFile(path, []byte(word+"\n"), 0o600)
}

// userAgent names the program, its version and whom to turn to.
func userAgent(cfg *config.Config) string {
	if cfg.Fetch.UserAgent != "" {
		return cfg.Fetch.UserAgent
	}
	contact := cfg.Fetch.Contact
	if contact == "" {
		contact = "https://github.com/feedwire/feedwire"
	}
	return fmt.Sprintf("feedwire/%s (+%s)", strings.Trim(thisBuild().Version, "()"), contact)
}

// openPages reports whether a request may see the pages without signing in: anybody where the operator says so, and in the
// demo a browser on this machine. A name that merely leads here (DNS rebinding) does not count, nor what a proxy passes on.
func (a *app) openPages(r *http.Request) bool {
	if a.cfg().InsecureNoAuth || !a.demo {
		return a.cfg().InsecureNoAuth
	}
	return asksThisMachine(r) && !passedOn(r) && isLoopback(a.listener.Addr())
}

// passedOn reports whether a proxy says that it brings the request of somebody else.
func passedOn(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}, func(name string) bool {
		return r.Header.Get(name) != ""
	})
}

// asksThisMachine reports whether a request names this machine as its host. A page of another site whose name was made to
// lead here (DNS rebinding) does not.
func asksThisMachine(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
