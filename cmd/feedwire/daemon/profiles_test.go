//go:build !race

package daemon

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// One source feeds three outgoing feeds, each with a profile, a selection and a way to publish of its own; one of them
// has a profile of the configuration, and a twin.
func TestFeedsOfSeveralProfiles(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), `
profiles:
  kiosk:
    extend: msn
    title_minimum: 0
    max_items: 5
feeds:
  readers:
    profile: full-text
    sources: ["*"]
    publish: auto
    language: en
  kiosk:
    profile: kiosk
    sources: ["*"]
    select: {keep: ['title=[02468]$'], block: ['content=post 4']}
    publish: auto
  kiosk-dev:
    twin_of: kiosk
    auth: {username: eve, password: twelve}
  apple: {profile: apple-news, sources: ["*"], publish: auto, language: en}
  facebook:
    sources: ["*"]
`)
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(7)...)
	d.add(web.URL+"/feed.xml", nil)
	items := func() map[string]int {
		n := make(map[string]int)
		for _, f := range mustJSON[[]feeds.Feed](t, "feed", "list") {
			n[f.Type] = f.Articles[feed.StatePublished]
		}
		return n
	}
	wiretest.Eventually(t, "what is selected is published", func() bool {
		n := items()
		return n["readers"] == 7 && n["apple"] == 7 && n["kiosk"] == 3 && n["kiosk-dev"] == 3
	})
	if n := items(); n["facebook"] != 0 {
		t.Errorf("%d articles are in the feed that an editor decides about", n["facebook"])
	}
	table(t, must(t, "feed", "list"),
		[]string{"FEED", "PROFILE", "ITEMS", "WINDOW", "RETIRES AFTER", "CONSUMER", "URL"},
		[]string{"readers", "full-text", "7", "8760h0m0s", "never", "*", "*/feed/readers"},
		[]string{"kiosk", "kiosk", "3", "720h0m0s", "never", "*", "*/feed/kiosk"},
		[]string{"apple", "apple-news", "7", "720h0m0s", "never", "*", "*/feed/apple"},
		[]string{"facebook", "instant-articles", "0", "24h0m0s", "4 fetches", "*", "*/feed/facebook"})
	for _, name := range []string{"readers", "readers.rss", "readers.atom", "readers.json", "kiosk", "apple", "facebook"} {
		if out := must(t, "feed", "check", name); !strings.HasPrefix(out, name+": ") || !strings.Contains(out, "faults: 0") {
			t.Errorf("feed check %s prints %q", name, out)
		}
	}
	one := mustJSON[[]feed.Article](t, "article", "list", "--feed", "apple", "--state", "published")[0]
	resp, err := http.Get(d.Base + "/feed/apple/" + one.UUID + ".json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), one.Canonical) {
		t.Errorf("the document of an article: got %d, %v, %s", resp.StatusCode, err, body)
	}
	fails(t, cli.ExitFailed, `feed "reader" does not exist`, "feed", "check", "reader")
	fails(t, cli.ExitFailed, "There is no feed \"kiosk.atom\"", "feed", "check", "kiosk.atom")
	fails(t, cli.ExitFailed, "requires a password", "feed", "check", "kiosk-dev")
}

// A feed that its consumer would not take is said to be so, with each fault.
func TestFeedCheckTellsEachFault(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "feeds:\n  app: {profile: smartnews, sources: [\"*\"], publish: auto}\n")
	user(t, strings.TrimPrefix(d.Base, "http://"), d.app.cfg().DataDir)
	code, stdout, stderr := feedwire(t, "feed", "check", "app")
	if code != cli.ExitFailed || !strings.Contains(stdout, "the channel has no language; set the language of the feed\n") ||
		!strings.Contains(stdout, "faults: 1\n") || !strings.Contains(stderr, "would reject the feed") {
		t.Errorf("got %d, %q, %q", code, stdout, stderr)
	}
}
