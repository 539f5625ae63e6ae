package daemon

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/feedtest"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// fetched is what the daemon serves at a URL below its public one.
func (d *daemon) fetched(url string) (body string, header http.Header) {
	d.t.Helper()
	resp, err := d.Http.Get(d.Base + strings.TrimPrefix(url, d.app.cfg().PublicURL))
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		d.t.Fatalf("%s answers %d %s, %v", url, resp.StatusCode, content, err)
	}
	return string(content), resp.Header
}

func TestSubscribersOfARepublishedFeedGetItAsServed(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	src := d.add(web.URL+"/feed.xml", nil)
	if len(src.Republished) != 3 {
		t.Fatalf("the API names %q", src.Republished)
	}
	for _, topic := range src.Republished {
		subscriber := newReader(t)
		d.subscribes(subscriber, topic, subscriber.URL+"/push")
		n := len(d.signals())
		web.Set("/feed.xml", wiretest.Posts(1+n)...)
		d.poll(src)
		want := wiretest.Posts(1 + n)[n].Title
		wiretest.Eventually(t, "a delivery", func() bool { return len(subscriber.deliveries()) > 0 })
		got := subscriber.deliveries()[0]
		body := got.Form.Get("body")
		if err := websub.Verify(got.Header, "hush", []byte(body)); err != nil {
			t.Errorf("%s: %v", topic, err)
		}
		served, header := d.fetched(topic)
		if body != served || !strings.Contains(body, want) || got.Header.Get("Content-Type") != header.Get("Content-Type") {
			t.Errorf("%s: delivered %v %s\nserved %v %s", topic, got.Header, body, header, served)
		}
		link := `<` + hubURL(d.app.cfg()) + `>; rel="hub", <` + topic + `>; rel="self"`
		if got.Header.Get("Link") != link || header.Get("Link") != link {
			t.Errorf("Link of the delivery is %q, of the feed %q, want %q", got.Header.Get("Link"), header.Get("Link"), link)
		}
	}
}

func TestFeedsOfPrivateSourcesAreNoTopics(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	src := d.add(web.URL+"/feed.xml", map[string]any{"request": map[string]any{"username": "ann", "password": "secret"}})
	if _, err := d.app.catalog.ResolveTopic(t.Context(), d.app.republish.URLs(src.ID)[0]); err == nil {
		t.Error("a stranger can subscribe to what takes a password")
	}
	if status := d.status("/sources/" + src.ID + "/feed.rss"); status != http.StatusUnauthorized {
		t.Errorf("a stranger gets %d", status)
	}
	if _, err := d.app.catalog.ResolveTopic(t.Context(), d.app.republish.URLs("unknown")[0]); err == nil {
		t.Error("the feed of an unknown source is a topic")
	}
}

func TestSourceWithReadersOfItsFeedStays(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "hub:\n  open_topics: 2\n")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	src := d.add(web.URL+"/feed.xml", map[string]any{"feeds": []string{}, "categories": []string{topics.AddedCategory}})
	subscribeReader(t, d, d.app.republish.URLs(src.ID)[1], "http://192.0.2.1/push")
	if closed, err := d.app.catalog.RemoveIdle(t.Context(), 0); err != nil || len(closed) > 0 {
		t.Errorf("closed %q, %v", closed, err)
	}
}

// Documents as sites publish them are republished in all formats by their rules.
func TestRealDocumentsAreRepublishedByTheRules(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "corpus", "real", "*.xml"))
	if len(files) == 0 {
		t.Skip("the folder of real documents is not beside this checkout")
	}
	d := start(t, storetest.RedisAOF(t), "")
	web := wiretest.NewOrigin(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			web.SetRaw("/"+filepath.Base(file), body)
			src := d.add(web.URL+"/"+filepath.Base(file), nil)
			var page feed.Page[feed.Entry]
			d.do(http.MethodGet, "/api/v1/sources/"+src.ID+"/entries?limit=50", nil, &page)
			for i, check := range []func([]byte) []string{feedtest.RSS, feedtest.Atom, feedtest.JSONFeed} {
				content, _ := d.fetched(src.Republished[i])
				if faults := check([]byte(content)); len(faults) > 0 {
					t.Errorf("%s: %q", src.Republished[i], faults)
				}
				read, err := gofeed.NewParser().ParseString(content)
				if err != nil || len(read.Items) != len(page.Items) {
					t.Fatalf("%s: gofeed reads %d items of %d, %v", src.Republished[i], len(read.Items), len(page.Items), err)
				}
				for j, e := range page.Items {
					if got := read.Items[j]; e.Title != "" && strings.Join(strings.Fields(got.Title), " ") != strings.Join(strings.Fields(e.Title), " ") {
						t.Errorf("title %q became %q", e.Title, got.Title)
					}
				}
			}
		})
	}
}
