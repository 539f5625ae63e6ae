//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// changingSite is a source whose document a test writes anew between polls.
type changingSite struct {
	t        *testing.T
	document string
	store    *store.Store
	ingester *ingest.Ingester
	dial     store.DialFunc
	id, url  string
	seen     string // id of the last signal that was counted
}

// sitePost is one item of a site's document; what it leaves empty is not written.
type sitePost struct{ guid, link, title, body, published, updated string }

func (p sitePost) String() string {
	var b strings.Builder
	b.WriteString("<entry>")
	put := func(format, value string) {
		if value != "" {
			fmt.Fprintf(&b, format, value)
		}
	}
	put("<id>%s</id>", p.guid)
	put(`<link href="%s"/>`, p.link)
	put("<title>%s</title>", p.title)
	put(`<content type="html">%s</content>`, p.body)
	put("<published>%s</published>", p.published)
	put("<updated>%s</updated>", p.updated)
	return b.String() + "</entry>"
}

func newSite(t *testing.T, dial store.DialFunc) *changingSite {
	t.Helper()
	s := &changingSite{t: t, dial: dial}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><title>Site</title>%s</feed>`, s.document)
	}))
	t.Cleanup(origin.Close)
	s.store = storetest.New(t, store.Options{Dial: dial, FirstSignals: 1000})
	s.ingester = ingest.New(s.store.Nouns(), ingest.Options{Fetch: fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	source, _, err := s.store.Sources.AddSource(t.Context(), feed.Source{URL: origin.URL + "/feed"})
	if err != nil {
		t.Fatal(err)
	}
	s.id, s.url = source.ID, source.URL
	return s
}

// poll serves these posts, polls the site and returns the signals that this gave: kinds, and the counts of those held.
func (s *changingSite) poll(posts []sitePost) (signals map[feed.SignalKind]int, held feed.Unsignalled) {
	s.t.Helper()
	var b strings.Builder
	for _, p := range posts {
		b.WriteString(p.String())
	}
	s.document = b.String()
	trace, err := s.ingester.Trace(s.t.Context(), s.id, false)
	if err != nil || trace.After.Poll.ErrorClass != "" {
		s.t.Fatalf("poll: %v, %+v", err, trace.After)
	}
	all, err := s.store.Signals.Signals(s.t.Context(), s.seen, 10_000, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	signals = make(map[feed.SignalKind]int)
	for _, sig := range all {
		s.seen = sig.ID
		signals[sig.Kind]++
		held.Created += sig.Unsignalled.Created
		held.Modified += sig.Unsignalled.Modified
	}
	storetest.Check(s.t, s.dial, nil, 4)
	return signals, held
}

// entries is how many entries are stored.
func (s *changingSite) entries() int {
	s.t.Helper()
	all, err := s.store.Entries.Entries(s.t.Context(), s.url, 10_000)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(all)
}

// twenty posts, newest first.
func twenty() []sitePost {
	all := make([]sitePost, 20)
	for i := range all {
		day := time.Date(2026, 11, 19-i/2, 8+i%2, 0, 0, 0, time.UTC).Format(time.RFC3339)
		n := 20 - i
		all[i] = sitePost{
			guid: fmt.Sprintf("http://site.example/?p=%d", n), link: fmt.Sprintf("http://site.example/post-%d", n), title: fmt.Sprintf("Post %d", n),
			body: fmt.Sprintf("&lt;p>Text %d, <a href=\"http://site.example/post-%d\">more</a>&lt;/p>", n, n-1), published: day, updated: day,
		}
		all[i].body = strings.NewReplacer("<a", "&lt;a", "</a", "&lt;/a").Replace(all[i].body)
	}
	return all
}

// eachPost is the twenty posts after an edit of each of them.
func eachPost(edit func(i int, p *sitePost)) []sitePost {
	all := twenty()
	for i := range all {
		edit(i, &all[i])
	}
	return all
}

func TestSourcesThatChangeTheirWaysDoubleNothingAndMakeNoStorm(t *testing.T) {
	t.Parallel()
	type signals = map[feed.SignalKind]int
	for name, c := range map[string]struct {
		posts []sitePost
		want  signals
		held  feed.Unsignalled
	}{
		"the same":   {twenty(), signals{}, feed.Unsignalled{}},
		"reordering": {reversed(twenty()), signals{}, feed.Unsignalled{}},
		"https everywhere": {eachPost(func(_ int, p *sitePost) {
			secure := strings.NewReplacer("http://", "https://")
			p.guid, p.link, p.body = secure.Replace(p.guid), secure.Replace(p.link), secure.Replace(p.body)
		}), signals{}, feed.Unsignalled{}},
		"another host of the same site": {eachPost(func(_ int, p *sitePost) {
			www := strings.NewReplacer("http://site.example", "https://www.site.example")
			p.guid, p.link, p.body = www.Replace(p.guid), www.Replace(p.link), www.Replace(p.body)
		}), signals{feed.FeedModified: 1}, feed.Unsignalled{Modified: 20}},
		"a new template": {eachPost(func(_ int, p *sitePost) { p.body = "&lt;div class='v2'>" + p.body + "&lt;/div>" }),
			signals{feed.FeedModified: 1}, feed.Unsignalled{Modified: 20}},
		"another scheme of guids":  {eachPost(func(i int, p *sitePost) { p.guid = fmt.Sprintf("tag:site.example,2026:%d", i) }), signals{}, feed.Unsignalled{}},
		"guids that are links now": {eachPost(func(_ int, p *sitePost) { p.guid = p.link }), signals{}, feed.Unsignalled{}},
		"other guids and links, the same titles": {eachPost(func(i int, p *sitePost) {
			p.guid, p.link = fmt.Sprintf("urn:%d", i), fmt.Sprintf("http://blog.example/%d", i)
		}), signals{feed.FeedModified: 1}, feed.Unsignalled{Modified: 20}},
		"updated stamped anew": {eachPost(func(_ int, p *sitePost) { p.updated = "2026-11-20T12:00:00Z" }), signals{}, feed.Unsignalled{}},
		"all dates stamped anew": {eachPost(func(_ int, p *sitePost) { p.updated, p.published = "2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z" }),
			signals{}, feed.Unsignalled{}},
		"tracking parameters": {eachPost(func(i int, p *sitePost) { p.link += fmt.Sprintf("?utm_source=feed&amp;utm_id=%d", i) }), signals{}, feed.Unsignalled{}},
		"one edited":          {eachPost(func(i int, p *sitePost) { p.title += strings.Repeat("!", max(0, 1-i)) }), signals{feed.PostModified: 1}, feed.Unsignalled{}},
		"one with another link and guid": {eachPost(func(i int, p *sitePost) {
			if i == 3 {
				p.guid, p.link = "http://site.example/?p=corrected", "http://site.example/corrected"
			}
		}), signals{feed.PostModified: 1}, feed.Unsignalled{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, dial store.DialFunc) {
				s := newSite(t, dial)
				if got, _ := s.poll(twenty()); got[feed.PostCreated] != 20 {
					t.Fatalf("first poll: %v", got)
				}
				got, held := s.poll(c.posts)
				if diff := cmp.Diff(c.want, got); diff != "" || held != c.held {
					t.Errorf("held %+v, want %+v; signals (-want +got):\n%s", held, c.held, diff)
				}
				if got, _ := s.poll(append(c.posts, sitePost{guid: "other", link: "http://site.example/other"})); got[feed.PostCreated] != 1 || len(got) != 1 {
					t.Errorf("with one post more: %v", got)
				}
				if n := s.entries(); n != 21 {
					t.Errorf("%d entries of 21 posts", n)
				}
				// And back: what was known keeps its names.
				if got, _ := s.poll(twenty()); got[feed.PostCreated] != 0 || s.entries() != 21 {
					t.Errorf("back: %v, %d entries", got, s.entries())
				}
			})
		})
	}
}

func reversed(posts []sitePost) []sitePost {
	slices.Reverse(posts)
	return posts
}

func TestOldPostsThatComeBackAreNoNews(t *testing.T) {
	t.Parallel()
	s := newSite(t, storetest.Redis(t))
	all := twenty()
	s.poll(all[8:16])
	got, held := s.poll(append([]sitePost{all[7]}, all[10:]...)) // one newer, four older ones again
	if want := map[feed.SignalKind]int{feed.PostCreated: 5}; !cmp.Equal(got, want) || held != (feed.Unsignalled{}) {
		t.Errorf("less than half of the document: %v, %+v", got, held)
	}
	s = newSite(t, storetest.Redis(t))
	s.poll(all[8:16])
	got, held = s.poll(append(slices.Clone(all[:8]), all[15:]...)) // eight newer, four older, one known
	want := map[feed.SignalKind]int{feed.PostCreated: 8, feed.FeedModified: 1}
	if !cmp.Equal(got, want) || held != (feed.Unsignalled{Created: 4}) {
		t.Errorf("most of the document: %v, %+v", got, held)
	}
}

func TestAPostADayUnderOneLinkAndTitleIsANewPost(t *testing.T) {
	t.Parallel()
	s := newSite(t, storetest.Redis(t))
	weather := func(day int) sitePost {
		date := time.Date(2026, 11, day, 6, 0, 0, 0, time.UTC).Format(time.RFC3339)
		return sitePost{guid: fmt.Sprint("day-", day), link: "http://site.example/weather", title: "Weather", published: date, updated: date}
	}
	s.poll([]sitePost{weather(10)})
	for day := 11; day < 20; day++ {
		if got, _ := s.poll([]sitePost{weather(day)}); got[feed.PostCreated] != 1 {
			t.Errorf("day %d: %v", day, got)
		}
	}
}

func TestSourceThatNeverRestsIsSignalledAFewTimesOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, storetest.Redis(t))
	all := map[feed.SignalKind]int{}
	for i := range 40 {
		now := fmt.Sprintf("2026-11-20T%02d:%02d:00Z", i/60, i%60)
		got, _ := s.poll(eachPost(func(_ int, p *sitePost) { p.body, p.updated = fmt.Sprintf("read %d times", i), now }))
		for kind, n := range got {
			all[kind] += n
		}
	}
	if want := (map[feed.SignalKind]int{feed.FeedCreated: 1, feed.PostCreated: 20, feed.FeedModified: 24}); !cmp.Equal(all, want) {
		t.Errorf("40 builds, each with other texts and dates everywhere: %v, want %v", all, want)
	}
}

func TestEntryThatNeverRestsIsSignalledAFewTimesOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, storetest.Redis(t))
	all := twenty()
	s.poll(all)
	signals := 0
	for i := range 40 {
		all[0].body = fmt.Sprintf("read %d times", i)
		got, _ := s.poll(all)
		signals += got[feed.PostModified]
	}
	if signals != 24 {
		t.Errorf("%d signals of 40 edits without a later date, want 24", signals)
	}
	for i := range 3 {
		time.Sleep(time.Second) // its date is later than the arrival of the edit before
		all[0].body, all[0].updated = fmt.Sprintf("edition %d", i), time.Now().UTC().Format(time.RFC3339)
		if got, _ := s.poll(all); got[feed.PostModified] != 1 {
			t.Errorf("edition %d with a later date: %v", i, got)
		}
	}
}
