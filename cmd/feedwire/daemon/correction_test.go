//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// correctedFeeds are the outgoing feeds of TestCorrectionWithoutADateMovesTheDatesOfEveryFormat.
const correctedFeeds = `feeds:
  production:
    profile: instant-articles
    impressions:
      retire_after: 0
  readers:
    profile: full-text
`

// correctedDates find the dates of the last change in each format.
var correctedDates = map[string]*regexp.Regexp{
	"instant": regexp.MustCompile(`<lastBuildDate>([^<]+)|class="op-modified" datetime="([^"]+)`),
	"rss":     regexp.MustCompile(`<lastBuildDate>([^<]+)|<atom:updated>([^<]+)`),
	"atom":    regexp.MustCompile(`<updated>([^<]+)`),
	"json":    regexp.MustCompile(`"date_modified":"([^"]+)`),
}

// The title and the text of an item change while its pubDate, in 1960, stays.
func TestCorrectionWithoutADateMovesTheDatesOfEveryFormat(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), correctedFeeds)
	web := wiretest.NewOrigin(t)
	const published = "1960-05-01T08:00:00Z"
	set := func(title, text string) {
		web.SetRaw("/feed.xml", fmt.Appendf(nil, `<rss version="2.0"><channel><title>Test</title><link>%s/</link><description>d</description>`+
			`<item><guid isPermaLink="false">1</guid><link>%[1]s/1</link><pubDate>Sun, 01 May 1960 08:00:00 GMT</pubDate>`+
			`<title>%s</title><description>%s</description></item></channel></rss>`, web.URL, title, text))
	}
	set("Ship arives", "It is here.")
	src := d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto", "feeds": []string{"production", "readers"}})
	urls := map[string][]string{"instant": {"/feed/production"}, "rss": {"/feed/readers", src.Republished[0]},
		"atom": {"/feed/readers.atom", src.Republished[1]}, "json": {"/feed/readers.json", src.Republished[2]}}
	serves := func(title string) func() bool {
		return func() bool {
			for _, url := range urls["rss"] {
				if body, _ := d.fetched(url); !strings.Contains(body, "<title>"+title+"</title>") {
					return false
				}
			}
			return true
		}
	}
	wiretest.Eventually(t, "published", serves("Ship arives"))
	subscriber := newReader(t)
	d.subscribes(subscriber, src.Republished[1], subscriber.URL+"/push")
	header := make(map[string]http.Header)
	check := func(want string) {
		t.Helper()
		for format, all := range urls {
			for _, url := range all {
				var body string
				body, header[url] = d.fetched(url)
				found := correctedDates[format].FindAllStringSubmatch(body, -1)
				if len(found) == 0 || !strings.Contains(body, "1960") {
					t.Errorf("%s: dates are missing in\n%s", url, body)
				}
				for _, groups := range found {
					text := strings.Join(groups[1:], "")
					at, err := time.Parse(time.RFC3339, text)
					if err != nil {
						at, err = time.Parse(time.RFC1123Z, text)
					}
					if got := at.UTC().Format(time.RFC3339); err != nil || got != want {
						t.Errorf("%s: %s, want %s", url, groups[0], want)
					}
				}
			}
		}
	}
	check(published)

	before := make(map[string]http.Header)
	for url, h := range header {
		before[url] = h
	}
	time.Sleep(time.Second) // Last-Modified has whole seconds
	set("Ship arrives", "It is in the harbour.")
	src = d.poll(src)
	wiretest.Eventually(t, "published again", serves("Ship arrives"))
	var page feed.Page[feed.Entry]
	d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries", nil, &page)
	e := page.Items[0]
	if got := e.Published.Format(time.RFC3339); got != published || !e.Timestamp.Equal(e.Published) {
		t.Errorf("published %s, ordered by %s", got, e.Timestamp)
	}
	if age := time.Since(e.Updated); age < 0 || age > time.Minute {
		t.Errorf("updated %s", e.Updated)
	}
	corrected := e.Updated.Format(time.RFC3339)
	check(corrected)
	for url, h := range header {
		if h.Get("ETag") == before[url].Get("ETag") || h.Get("Last-Modified") == before[url].Get("Last-Modified") {
			t.Errorf("%s: the validators are still %s and %s", url, h.Get("ETag"), h.Get("Last-Modified"))
		}
	}
	wiretest.Eventually(t, "a delivery", func() bool { return len(subscriber.deliveries()) > 0 })
	if body := subscriber.deliveries()[0].Form.Get("body"); !strings.Contains(body, "<updated>"+corrected+"</updated>") {
		t.Errorf("delivered\n%s", body)
	}

	set("Ship arrives", "It  is in the\n harbour.") // cosmetic
	d.poll(src)
	check(corrected)
	for url := range header {
		if body, _ := d.fetched(url); !strings.Contains(body, "in the harbour") {
			t.Errorf("%s has changed:\n%s", url, body)
		}
	}
}
