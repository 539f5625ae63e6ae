//go:build !race

package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
	"github.com/feedwire/feedwire/publish/mail/mailtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestDoctorAsksTheDaemon(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	found := mustJSON[[]doctor.Finding](t, "doctor")
	for _, check := range []string{"redis", "redis-role", "redis-durability", "redis-memory", "redis-timelines", "clock", "store", "guard", "sources", "feeds", "configuration"} {
		if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Check == check && f.Level == doctor.LevelOK }) {
			t.Errorf("%s is not well: %+v", check, found)
		}
	}
	table(t, must(t, "doctor"), []string{"warn", "public-url", "public_url is *"}, []string{"", "", "why: *"}, []string{"ok", "redis", "Redis * is reachable"})

	storetest.Commands(t, redis.Dial).Do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	code, out, stderr := feedwire(t, "doctor")
	if code != cli.ExitUnhealthy || !strings.Contains(stderr, "1 of") {
		t.Errorf("with a bad finding it ends with %d, %q", code, stderr)
	}
	table(t, out, []string{"bad", "redis-memory", "maxmemory-policy is allkeys-lru"})
}

func TestDoctorSeesWhatItCanWithoutADaemon(t *testing.T) {
	t.Parallel()
	user(t, "127.0.0.1:1", t.TempDir())
	redis := storetest.RedisAOF(t)
	setenv(t, "FEEDWIRE_STORE_REDIS", "unix://"+redis.Addr())
	setenv(t, "FEEDWIRE_API_TOKEN", "not-the-token-of-a-daemon")
	setenv(t, "FEEDWIRE_MAIL_HOST", "127.0.0.1")
	setenv(t, "FEEDWIRE_MAIL_PORT", "1")
	setenv(t, "FEEDWIRE_MAIL_FROM", "wire@example.org")
	code, out, _ := feedwire(t, "doctor")
	if code != cli.ExitUnhealthy {
		t.Errorf("it ends with %d", code)
	}
	table(t, out, []string{"bad", "daemon", "cannot reach the daemon at *"}, []string{"bad", "mail", "mail.host 127.0.0.1: connect to 127.0.0.1:1: *"}, []string{"warn", "daemon", "not checked: public_url, sources and feeds"},
		[]string{"ok", "redis", "Redis * is reachable"})
}

func TestPublicURLThatLeadsHereIsWell(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	said, resp, err := doctor.Ask(t.Context(), d.Base+doctor.ProofPath+"?question=abc")
	if err != nil || resp.StatusCode != http.StatusOK || said != d.app.store.Proof("abc") || said == d.app.store.Proof("abd") {
		t.Errorf("got %q, %v", said, err)
	}
	other := start(t, storetest.RedisAOF(t), "")
	if other.app.store.Proof("abc") == said {
		t.Error("another installation proves to be this one")
	}
}

func TestDoctorConnectsToTheMailServer(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, nil, "", "")
	d := start(t, storetest.RedisAOF(t), fmt.Sprintf("mail: {host: 127.0.0.1, port: %d, tls: none, from: wire@example.org}", server.Port))
	find := func(want string) {
		t.Helper()
		found := d.app.examine(t.Context())
		if i := slices.IndexFunc(found, func(f doctor.Finding) bool { return f.Check == "mail" }); i < 0 || found[i].Level != want {
			t.Errorf("got %+v, want %s", found, want)
		}
	}
	find(doctor.LevelOK)
	ann := feed.Account{Name: "ann", Role: feed.RoleMember}
	if err := d.app.store.People.AddAccount(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	ann, err := d.app.store.People.Account(t.Context(), "ann")
	if err == nil {
		err = d.app.store.People.ChangeProfile(t.Context(), ann.ID, feed.ProfileChange{Email: new("ann@example.org")})
	}
	if err != nil {
		t.Fatal(err)
	}
	if ended, status, _ := d.person(t).sends("/reset-password", url.Values{"name": {"ann"}, "email": {"ann@example.org"}}); status != http.StatusOK || !strings.HasPrefix(ended, "/login") {
		t.Errorf("got %d at %s", status, ended)
	}
	if mail := <-server.Mails; mail.To != "ann@example.org" || !strings.Contains(mail.Text, d.app.cfg().PublicURL+"/welcome?once=") {
		t.Errorf("the mail is %+v", mail)
	}
	server.Close()
	find(doctor.LevelBad)
}

func TestDoctorListsTheBucket(t *testing.T) {
	t.Parallel()
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/images/" || !strings.Contains(r.Header.Get("Authorization"), "Credential=wire/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, "<ListBucketResult></ListBucketResult>")
	}))
	t.Cleanup(s3.Close)
	for key, want := range map[string]string{"wire": doctor.LevelOK, "other": doctor.LevelBad} {
		d := start(t, storetest.RedisAOF(t), fmt.Sprintf("posts: {s3_url: %s/images, s3_access_key: %s, s3_secret_key: secret}", s3.URL, key))
		found := d.app.examine(t.Context())
		i := slices.IndexFunc(found, func(f doctor.Finding) bool { return f.Check == "bucket" })
		if i < 0 || found[i].Level != want {
			t.Errorf("with the key %s: %+v", key, found)
		}
	}
}
