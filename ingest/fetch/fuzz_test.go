package fetch_test

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/idna"

	"github.com/feedwire/feedwire/ingest/fetch"
)

var now = time.Date(2025, 6, 10, 12, 0, 0, 0, time.UTC)

// FuzzFreshness reads the header fields by which servers say when to come again.
func FuzzFreshness(f *testing.F) {
	f.Add("max-age=3600, public", "", "60", "", "120")
	f.Add(`private, max-age="86401"`, "0", "99999999999999999999", "Tue, 10 Jun 2025 11:00:00 GMT", "Tue, 10 Jun 2025 14:05:00 GMT")
	f.Add("", "Fri, 31 Dec 9999 23:59:59 GMT", "-1", "Mon, 01 Jan 0001 00:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT")
	f.Add("no-cache,max-age=1", "Sun Nov  6 08:49:37 1994", "", "", "-5")
	f.Fuzz(func(t *testing.T, control, expires, age, date, retry string) {
		h := http.Header{"Cache-Control": {control}, "Expires": {expires}, "Age": {age}, "Date": {date}, "Retry-After": {retry}}
		until, by := fetch.FreshUntil(h, now)
		switch {
		case until.IsZero() != (by == ""):
			t.Errorf("%v: until %v by %q", h, until, by)
		case by != "" && (until.Before(now) || until.After(now.Add(24*time.Hour)) || h.Get(by) == ""):
			t.Errorf("%v: until %v by %s", h, until, by)
		}
		if at := fetch.RetryAfter(h, now); at.After(now.Add(7 * 24 * time.Hour)) {
			t.Errorf("%v: not before %v", h, at)
		}
	})
}

// FuzzBeyondProxy looks for addresses that are not public in what a proxy would be asked for.
func FuzzBeyondProxy(f *testing.F) {
	for _, host := range []string{
		"127.0.0.1", "0.0.0.0", "[::1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25lo]", "①②⑦.⓪.⓪.①", "127。0。0。1",
		"169.254.169.254", "LOCALHOST", "localhost.", "127.1", "2130706433", "017700000001", "0x7F.0.0.1", "0", "user:pass@localhost",
	} {
		f.Add("http://" + host + ":8080/")
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil || u.Hostname() == "" || fetch.CheckHost(u) != nil {
			return
		}
		host := u.Hostname()
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			host = ascii
		}
		host = strings.TrimRight(host, ".")
		addr, err := netip.ParseAddr(host)
		switch {
		case err == nil && fetch.Dial(nil, "tcp", net.JoinHostPort(addr.String(), "443")) != nil,
			err != nil && strings.Trim(host, "0123456789.") == "", strings.EqualFold(host, "localhost"):
			t.Errorf("%q asks for %s", raw, host)
		}
	})
}
