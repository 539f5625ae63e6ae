package address_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/address"
)

// 003-3
func TestParse(t *testing.T) {
	for text, want := range map[string]address.Address{
		"redis://localhost":             {Kind: address.One, Hosts: []string{"localhost:6379"}},
		"redis://localhost:10000":       {Kind: address.One, Hosts: []string{"localhost:10000"}},
		"redis://localhost:7/":          {Kind: address.One, Hosts: []string{"localhost:7"}},
		"redis://[::1]/3":               {Kind: address.One, Hosts: []string{"[::1]:6379"}, Database: 3},
		"rediss://u:p%40@h:6380":        {Kind: address.One, Hosts: []string{"h:6380"}, TLS: true, Login: address.Login{User: "u", Password: "p@"}},
		"unix:///run/redis.sock":        {Kind: address.One, Socket: "/run/redis.sock"},
		"unix://:p@/run/redis.sock":     {Kind: address.One, Socket: "/run/redis.sock", Login: address.Login{Password: "p"}},
		"redis+cluster://a:1,b,[::1]:3": {Kind: address.Cluster, Hosts: []string{"a:1", "b:6379", "[::1]:3"}},
		"redis+sentinel://:p@a,b:2/news/4?sentinel_user=w&sentinel_password=%26q": {
			Kind: address.Sentinel, Hosts: []string{"a:26379", "b:2"}, Master: "news", Database: 4,
			Login: address.Login{Password: "p"}, Sentinel: address.Login{User: "w", Password: "&q"},
		},
		"rediss+sentinel://a/news": {Kind: address.Sentinel, Hosts: []string{"a:26379"}, Master: "news", TLS: true},
		"rediss+sentinel://a/news?tls_ca=/ca.pem&sentinel_password=q": {
			Kind: address.Sentinel, Hosts: []string{"a:26379"}, Master: "news", TLS: true, Files: address.TLSFiles{CA: "/ca.pem"},
			Sentinel: address.Login{Password: "q"},
		},
		"rediss+cluster://a?tls_ca=/ca.pem&tls_cert=/a%20cert.pem&tls_key=/key.pem": {
			Kind: address.Cluster, Hosts: []string{"a:6379"}, TLS: true,
			Files: address.TLSFiles{CA: "/ca.pem", Cert: "/a cert.pem", Key: "/key.pem"},
		},
	} {
		got, err := address.Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

func TestParseNamesTheReason(t *testing.T) {
	for text, reason := range map[string]string{
		"":                               "no scheme",
		"localhost:6379":                 "no scheme",
		"http://x":                       "the scheme is none of",
		"redis://":                       "names no host",
		"redis://h:0":                    "a port is a number",
		"redis://h:1:2":                  "names no host",
		"redis://a,b":                    "several hosts",
		"redis://h/zero":                 "number of a database",
		"redis://h/0/1":                  "number of a database",
		"redis://h?pool=3":               "query",
		"redis://u:sesame%zz@h":          "cannot be read",
		"redis://h/0?a=%zz":              "query of the URL cannot be read",
		"unix://":                        "absolute path",
		"unix://run/redis.sock":          "absolute path",
		"redis+sentinel://h":             "does not name the master",
		"redis+sentinel://h/m/sesame":    "number of a database",
		"redis+cluster://h/1":            "only database 0",
		"redis+cluster://a,,b":           "names no host",
		"redis+cluster://h?sentinel_a=b": "query",
		"redis://h?tls_ca=/ca.pem":       "query",
		"rediss://h?tls_ca=ca.pem":       "tls_ca in the URL is not an absolute path",
		"rediss://h?tls_cert=/sesame":    "one of tls_cert and tls_key",
	} {
		_, err := address.Parse(text)
		if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v, want %q", text, err, reason)
		}
	}
}

func TestMaskedHidesSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"redis://h/1":                                     "redis://h/1",
		"redis://u:sesame@h:1/0":                          "redis://…@h:1/0",
		"redis://u:ses%zz@h":                              "…",
		"redis+cluster://:p@a,b:":                         "redis+cluster://…@a,b:",
		"redis+sentinel://a,b/m?sentinel_password=sesame": "redis+sentinel://a,b/m?…",
	} {
		if got := address.Masked(text, "…"); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

// FuzzParse looks for text that is read as an address of another meaning, or makes Masked show a password.
func FuzzParse(f *testing.F) {
	f.Add("redis://u:sesame@h:1/0")
	f.Add("redis+sentinel://:p@a,b:2/news/4?sentinel_user=w&sentinel_password=%26q")
	f.Add("unix://:p@/run/redis.sock")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := address.Parse(text)
		if err != nil {
			return
		}
		if (a.Socket == "") == (len(a.Hosts) == 0) {
			t.Errorf("%q has socket %q and hosts %q", text, a.Socket, a.Hosts)
		}
		if secret := a.Login.Password; len(secret) > 8 && strings.Contains(address.Masked(text, "…"), secret) &&
			!strings.Contains(strings.Join(a.Hosts, ",")+a.Socket+a.Master, secret) {
			t.Errorf("%q shows its password as %s", text, address.Masked(text, "…"))
		}
	})
}
