package signals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/signals"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newDesk returns a desk with the signals of a newsroom. Its event stream answers with the query.
func newDesk(t *testing.T) (*webtest.Desk, *storetest.Newsroom) {
	t.Helper()
	events := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "asked ", r.URL.RawQuery) })
	n := storetest.NewNewsroom(t)
	d := webtest.Over(n, n.Clock.Now)
	d.Mount(signals.New(n, d.Kit, events))
	return d, n
}

// addSignal adds a signal with an id.
func addSignal(n *storetest.Newsroom, id string) {
	n.Raw.Do("XADD", "signals", id, "kind", "feed_created", "feed_url", "https://many.example/", "time", "1900000000")
}

func TestSignalsAreSearchedAndStreamed(t *testing.T) {
	d, n := newDesk(t)
	all, _, err := n.FindSignals(t.Context(), feed.SignalQuery{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	newest, changed := all[0].ID, all[1].ID
	b := d.As(t, "rea", feed.RoleViewer)
	webtest.InOrder(t, b.Get("/signals", 200), `data-live="/signals/live?after=`+newest+`&amp;content=0"`, "Fish market returns", storetest.Site, "content, link, title", "/assets/wire.js")
	html := b.Get("/signals?kind=post_modified&q=site", 200)
	webtest.InOrder(t, html, `value="site"`, `value="post_modified" checked`, "kind=post_modified", "What the new tide tables say")
	if strings.Contains(html, "Ferry line") {
		t.Error("another kind is shown")
	}
	b.Get("/signals?q=nobody", 200)
	if got := b.Get("/signals/live?after=5", 200); got != "asked after=5" {
		t.Errorf("the stream got %q", got)
	}
	b.Get("/signals?cursor=x", 422)

	html = b.Get("/signals/"+changed, 200)
	webtest.InOrder(t, html, "What the new tide tables say", "post modified", "content", "<del dir=\"auto\">c</del>", "<ins dir=\"auto\">&lt;p&gt;What the new", "link", "nothing",
		"Details", "post_modified", storetest.Site, "post-6", "Entry:6", "Current post", "&lt;p&gt;What the new")
	b.Get("/signals/5-5", 404)
	b.Get("/signals/nonsense", 404)
}

func TestSignalsArePaged(t *testing.T) {
	d, n := newDesk(t)
	for i := range 120 {
		addSignal(n, fmt.Sprintf("1900000000%03d-0", i))
	}
	b := d.As(t, "rea", feed.RoleViewer)
	seen, path := 0, "/signals?q=many"
	for path != "" {
		html := b.Get(path, http.StatusOK)
		seen += strings.Count(html, `scope="row"`)
		_, rest, more := strings.Cut(html, `<a href="/signals?cursor=`)
		if path = ""; more {
			before, _, _ := strings.Cut(rest, `"`)
			path = "/signals?cursor=" + strings.ReplaceAll(before, "&amp;", "&")
		}
	}
	if seen != 120 {
		t.Errorf("the pages show %d signals", seen)
	}
}

func TestAPIReturnsSignalsAfterAnID(t *testing.T) {
	d, n := newDesk(t)
	after := func(query string) feed.Page[feed.Signal] {
		t.Helper()
		return webtest.Get[feed.Page[feed.Signal]](t, d, "/api/v1/signals?"+query)
	}
	first := after("limit=10")
	rest := after("limit=10&after=" + first.Next)
	if len(first.Items) != 10 || len(rest.Items) != 2 || rest.Next != rest.Items[1].ID {
		t.Errorf("got %d and %d signals, then %q", len(first.Items), len(rest.Items), rest.Next)
	}
	if rest.Items[0].Kind != feed.PostModified || rest.Items[0].Post.Title == "" {
		t.Errorf("signal is %+v", rest.Items[0])
	}
	if end := after("after=" + rest.Next); len(end.Items) != 0 || end.Next != "" {
		t.Errorf("after the last one came %+v", end)
	}
	for _, id := range []string{"1900000000000-0", "1900000000001-0"} {
		addSignal(n, id)
	}
	if bare := after("after=1900000000000"); len(bare.Items) != 1 || !cmp.Equal(bare, after("after=1900000000000-0")) {
		t.Errorf("after an id without its second number came %+v", bare)
	}
}

func TestCommentIsShownByItsNumber(t *testing.T) {
	d, n := newDesk(t)
	id, _ := n.Raw.Do("XADD", "signals", "*", "kind", "comment_created", "feed_url", storetest.Site, "time", "1900000000", "entry", "Entry:6", "comment", 3, "parent", 2).([]byte)
	b := d.As(t, "rea", feed.RoleViewer)
	webtest.InOrder(t, b.Get("/signals?kind=comment_created", 200), `value="comment_created" checked`, "comment created", "Entry:6 comment 3", storetest.Site)
	html := b.Get("/signals/"+string(id), 200)
	webtest.InOrder(t, html, "Entry:6", "Comment", "3", "Reply to comment", "2")
	if !strings.Contains(html, "about a feed, a list, a comment or votes") {
		t.Error("the comment has the post")
	}
}

func TestVotesAreShownByTheirNumber(t *testing.T) {
	d, n := newDesk(t)
	id, _ := n.Raw.Do("XADD", "signals", "*", "kind", "entry_voted", "feed_url", storetest.Site, "time", "1900000000", "entry", "Entry:6",
		"score", "1900000432", "up", 3, "down", 2, "anonymous", 0).([]byte)
	b := d.As(t, "rea", feed.RoleViewer)
	webtest.InOrder(t, b.Get("/signals?kind=entry_voted", 200), `value="entry_voted" checked`, "entry voted", "Entry:6 &#43;3 −2", storetest.Site)
	webtest.InOrder(t, b.Get("/signals/"+string(id), 200), "Entry:6", "Upvotes", "3", "Downvotes", "2", "Score", "1900000432")
}

func TestListIsShownByItsName(t *testing.T) {
	d, n := newDesk(t)
	id, _ := n.Raw.Do("XADD", "signals", "*", "kind", "list_modified", "feed_url", "https://wire.example/lists/top.rss", "time", "1900000000",
		"list", "top", "digest", "d").([]byte)
	b := d.As(t, "rea", feed.RoleViewer)
	webtest.InOrder(t, b.Get("/signals?kind=list_modified", 200), "list modified", "list top", "https://wire.example/lists/top.rss")
	webtest.InOrder(t, b.Get("/signals/"+string(id), 200), `href="/lists/top"`, `href="https://wire.example/lists/top.rss"`, "Digest")
}
