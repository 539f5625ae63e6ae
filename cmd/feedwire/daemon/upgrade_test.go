//go:build !race

package daemon

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// What the program at commit 11a3b04 wrote: two sources with the same document, one of them published by rule; of its
// articles two imported after four fetches, one withdrawn by ann, one edited and published again; a subscriber, a webhook, a
// token, and the sessions of ann and bo.
var (
	//go:embed testdata/store-11a3b04.json
	oldStore []byte
	//go:embed testdata/store-11a3b04.xml
	oldDocument []byte
)

func TestStoreOf11a3b04Opens(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	raw := storetest.Commands(t, redis.Dial)
	age := raw.Load(t, oldStore, time.Now())
	streams := func() []int { return []int{raw.Int("XLEN", "signals"), raw.Int("XLEN", "audit")} }
	before := streams()
	datesOf := func(entry map[string]string) string {
		return entry["timestamp"] + " " + entry["date_published"] + " " + entry["date_updated"]
	}
	unread := map[string]string{}
	for _, id := range raw.Strings("KEYS", "Entry:*") {
		unread[id] = datesOf(raw.StringMap("HGETALL", id))
	}

	documentOf := func(host string) []byte {
		document := moveDates(oldDocument, age)
		if host == "plain.test" { // polled before the edit only
			document = bytes.ReplaceAll(document, []byte("until two"), []byte("until noon"))
		}
		// 11a3b04 did not read these elements.
		document = bytes.ReplaceAll(document, []byte("</item>"), []byte("<comments>http://origin.test/talk</comments></item>"))
		author := `<link>http://origin.test/p2</link><d:creator xmlns:d="http://purl.org/dc/terms/">Cy</d:creator>`
		return bytes.ReplaceAll(document, []byte("<link>http://origin.test/p2</link>"), []byte(author))
	}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = w.Write(documentOf(r.Host))
	}))
	t.Cleanup(origin.Close)
	for _, host := range []string{"origin.test", "plain.test"} { // 11a3b04 polled these bytes
		sum := sha256.Sum256(documentOf(host))
		raw.Do("HSET", "http://"+host+"/feed.xml:meta", "body_sum", hex.EncodeToString(sum[:]))
	}
	d := start(t, redis, "public_url: http://127.0.0.1:18080\nfetch:\n  allow_networks: [127.0.0.0/8]\n  host_delay: 0s\n  min_interval: 0s\n  proxy: "+origin.URL+"\n")

	t.Run("no signal is repeated and no article is published again", func(t *testing.T) {
		var page feed.Page[feed.Source]
		d.do(http.MethodGet, "/api/v1/sources", nil, &page)
		if len(page.Items) != 2 {
			t.Fatalf("%d sources", len(page.Items))
		}
		for _, s := range page.Items {
			if s = d.poll(s); s.Poll.Status != http.StatusOK || s.Poll.Errors != 0 {
				t.Errorf("poll of %s: %+v", s.URL, s.Poll)
			}
		}
		if diff := cmp.Diff(before, streams()); diff != "" {
			t.Errorf("length of signals and audit log (-before +after):\n%s", diff)
		}
		var states []string
		for _, a := range d.articles("") {
			if a.FeedURL != "http://origin.test/feed.xml" {
				continue
			}
			for _, typ := range []string{"production", "development"} {
				p := a.Feeds[typ]
				states = append(states, strings.Join([]string{a.GUID, typ, string(p.State), strings.Repeat("r", p.Revision), strings.Repeat("i", len(p.Impressions))}, " "))
			}
		}
		slices.Sort(states)
		want := []string{
			"p0 development published rr ", "p0 production published rr ",
			"p1 development published r ii", "p1 production imported r iiii",
			"p2 development published r ii", "p2 production imported r iiii",
			"p3 development published r ii", "p3 production withdrawn r ",
		}
		if diff := cmp.Diff(want, states); diff != "" {
			t.Errorf("articles (-want +got):\n%s", diff)
		}
		if _, guids, _ := d.fetch("production", "anybody", nil); len(guids) != 1 {
			t.Errorf("the feed holds %v", guids)
		}
		for id, dates := range unread {
			entry := raw.StringMap("HGETALL", id)
			if entry["comments"] != "http://origin.test/talk" {
				t.Errorf("%s lacks the field that the new parser reads: %v", id, entry)
			}
			if now := datesOf(entry); now != dates {
				t.Errorf("%s has the dates %s, had %s", id, now, dates)
			}
		}
	})

	t.Run("entries and articles carry what only the new parser reads", func(t *testing.T) {
		for _, host := range []string{"origin.test", "plain.test"} {
			entry := raw.StringMap("HGETALL", raw.StringMap("HGETALL", "http://"+host+"/feed.xml:guidmap")["p2"])
			if entry["author"] != "Cy" {
				t.Errorf("the entry of %s: %v", host, entry)
			}
		}
		for _, a := range d.articles("") {
			if a.FeedURL != "http://origin.test/feed.xml" {
				continue
			}
			if a.Fields["comments"] != "http://origin.test/talk" || a.GUID == "p2" && !slices.Equal(a.Authors, []string{"Cy"}) {
				t.Errorf("article %s: authors %v, fields %v", a.GUID, a.Authors, a.Fields)
			}
		}
	})

	t.Run("accounts, sessions and tokens remain valid", func(t *testing.T) {
		for name, cookie := range map[string]string{
			"ann": "ann:bMlBW9gACG--NEj7p-ilCYMo-C56iAXiQ75kIqlTcg8", "bo": "bo:VZkR4xecdvX22W0YlseNWu1Jezgkf90n3byBIipS5Og",
		} {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+"/account", nil)
			req.AddCookie(&http.Cookie{Name: "feedwire", Value: cookie})
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("the session of %s: %v, %v", name, resp, err)
			}
			_ = resp.Body.Close()
		}
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+"/api/v1/sources", nil)
		req.Header.Set("Authorization", "Bearer fw_ksy4ktglwloe_8EmPFUYoinAJyHl_cZTmtxlhrI8qvvZCuqp7Io2vcd4")
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("the token: %v, %v", resp, err)
		}
		_ = resp.Body.Close()
	})

	t.Run("subscriptions go on", func(t *testing.T) {
		var page feed.Page[feed.Subscription]
		d.do(http.MethodGet, "/api/v1/hub/subscriptions", nil, &page)
		if len(page.Items) != 2 || raw.Int("XLEN", "hub:dead") != 0 || raw.Int("ZCARD", "hub:later") != 0 {
			t.Errorf("%d subscriptions, %d dead letters, %d deliveries: %+v", len(page.Items), raw.Int("XLEN", "hub:dead"), raw.Int("ZCARD", "hub:later"), page.Items)
		}
		if topics, err := d.app.store.Topics.FilterTopics(t.Context()); err != nil || !slices.Equal(topics, []string{"feedwire:signals?"}) {
			t.Errorf("the topics of webhooks are %v, %v", topics, err)
		}
	})
	raw.Check([]string{"production", "development"}, feed.ImportAfter)
}

var pubDate = regexp.MustCompile(`<pubDate>([^<]*)`)

// moveDates adds age to the dates of a document.
func moveDates(document []byte, age time.Duration) []byte {
	return pubDate.ReplaceAllFunc(document, func(match []byte) []byte {
		at, err := time.Parse(time.RFC1123Z, string(pubDate.FindSubmatch(match)[1]))
		if err != nil {
			panic(err)
		}
		return []byte("<pubDate>" + at.Add(age).Format(time.RFC1123Z))
	})
}
