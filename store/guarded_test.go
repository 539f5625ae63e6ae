package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// A server is reached over TLS with an authority of its operator's own, a certificate and a user with just the rights that
// docs/how-to/connect-redis.md names.
func TestGuardedServer(t *testing.T) {
	server := storetest.RedisGuarded(t, storetest.NewGuard(t, "wire:*"))
	s := storetest.New(t, store.Options{URL: server.URL(), Prefix: "wire:"})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h, err := s.Ops.Health(t.Context()); err != nil || len(h.Refused)+len(h.Unseen) > 0 {
		t.Errorf("%v; refused are %v, unseen %v", err, h.Refused, h.Unseen)
	}
	var file bytes.Buffer
	if _, err := s.Ops.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ops.RestoreBackup(t.Context(), bytes.NewReader(file.Bytes()), true); err != nil {
		t.Error(err)
	}
	if err := storetest.New(t, store.Options{URL: server.URL(), Prefix: "other:"}).Check(t.Context()); core.ClassOf(err) != core.ClassAuth {
		t.Errorf("with keys that its user may not use: %v", err)
	}
}

// Who may not come in is told why, and not by the words of a secret.
func TestGuardedServerTellsWhyNot(t *testing.T) {
	guard := storetest.NewGuard(t, "*")
	server, watched := storetest.RedisGuarded(t, guard), storetest.NewGuardedWatched(t, guard)
	for _, tt := range []struct {
		name, url string
		from, to  string // what is changed in the URL: an expression, and what comes for it
		reason    string
	}{
		{"a wrong password", server.URL(), ":p%40ss%2Fword@", ":sesame@", "WRONGPASS"},
		{"no password", server.URL(), "//.*@", "//", "NOAUTH"},
		{"an authority that the system does not know", server.URL(), "tls_ca=[^&]*&", "", "unknown authority"},
		{"no certificate", server.URL(), "&tls_cert=.*", "", "certificate required"},
		{"another name", server.URL(), "@127.0.0.1", "@localhost", "match localhost"},
		{"a wrong password of the Sentinels", watched.URL(), "of_the_watcher", "sesame", "WRONGPASS"},
		{"a wrong password behind Sentinels", watched.URL(), ":p%40ss%2Fword@", ":sesame@", "WRONGPASS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := regexp.MustCompile(tt.from).ReplaceAllString(tt.url, tt.to)
			// A store asks Sentinels until its timeout, so this one is short. On a busy machine it may be too short.
			s, err := storetest.New(t, store.Options{URL: url, Timeout: 2 * time.Second}), error(nil)
			for range 10 {
				if err = s.Check(t.Context()); err != nil && strings.Contains(err.Error(), tt.reason) {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), tt.reason) || strings.Contains(err.Error(), "sesame") || !errors.Is(err, feed.ErrUnavailable) {
				t.Errorf("%v, want %q", err, tt.reason)
			}
		})
	}
}

func TestFilesForTLSAreReadAtTheStart(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for query, reason := range map[string]string{
		"tls_ca=" + dir + "/missing.pem":               "tls_ca: open " + dir + "/missing.pem",
		"tls_ca=" + empty:                              empty + " holds no certificate",
		"tls_cert=" + empty + "&tls_key=" + dir + "/k": "tls_cert " + empty + " with tls_key " + dir + "/k",
	} {
		if _, err := store.New(store.Options{URL: "rediss://127.0.0.1:1?" + query}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", query, err, reason)
		}
	}
}
