//go:build !race

package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
)

// table checks that a text has lines of these cells, in this order. A "*" in a cell stands for anything.
func table(t *testing.T, text string, rows ...[]string) {
	t.Helper()
	for _, cells := range rows {
		line := regexp.QuoteMeta(strings.Join(cells, "\t"))
		line = strings.NewReplacer("\t", " +", `\*`, ".*").Replace(line)
		at := regexp.MustCompile(`(?m)^ *` + line + `$`).FindStringIndex(text)
		if at == nil {
			t.Errorf("no line %q, or not here, in\n%s", cells, text)
			continue
		}
		text = text[at[1]:]
	}
}

func TestSourceCommands(t *testing.T) {
	t.Parallel()
	d, web, src := startFor(t)
	second := web.URL + "/second.xml"
	web.Set("/second.xml", wiretest.Posts(1)...)

	added := mustJSON[feed.Source](t, "source", "add", second, "--feed", "development,production", "--publish", "auto", "--interval", "90s")
	if added.URL != second || len(added.Feeds) != 2 || added.Publish != feed.PublishAuto || added.Interval.String() != "1m30s" {
		t.Errorf("added is %+v", added)
	}
	if again := must(t, "source", "add", second); again != fmt.Sprintf("added %s  %s\n", added.ID, second) {
		t.Errorf("added again prints %q", again)
	}
	wiretest.Eventually(t, "polled for the first time", func() bool {
		return !mustJSON[feed.Source](t, "source", "show", added.ID).Poll.LastPoll.IsZero()
	})
	polled := mustJSON[feed.Source](t, "source", "poll", second)
	if polled.Poll.Entries != 1 || polled.State() != feed.SourceActive || polled.Interval != added.Interval {
		t.Errorf("polled is %+v", polled)
	}
	listed := mustJSON[[]feed.Source](t, "source", "list")
	var page feed.Page[feed.Source]
	d.do(http.MethodGet, "/api/v1/sources", nil, &page)
	if diff := cmp.Diff(page.Items, listed); diff != "" || len(listed) != 2 {
		t.Errorf("list is not what the API has (-API +list):\n%s", diff)
	}
	table(t, must(t, "source", "list"),
		[]string{"ID", "STATE", "ENTRIES", "LAST POLL", "NEXT", "TITLE", "URL"},
		[]string{src.ID, "active", "2", "*", "Test", src.URL})
	for _, name := range []string{src.ID, src.URL} {
		table(t, must(t, "source", "show", name),
			[]string{"source", src.ID}, []string{"url", src.URL}, []string{"title", "Test"}, []string{"state", "active"},
			[]string{"feeds", "production"}, []string{"publish", "manual"}, []string{"entries", "2 in the last document"})
	}

	if out := must(t, "source", "poll", "--all"); out != "2 sources are due\n" {
		t.Errorf("poll --all prints %q", out)
	}
	if out := must(t, "source", "pause", src.ID); !strings.HasPrefix(out, "paused "+src.ID) {
		t.Errorf("pause prints %q", out)
	}
	fails(t, cli.ExitFailed, "resume it first", "source", "poll", src.ID)
	table(t, must(t, "source", "show", src.ID), []string{"state", "paused"}, []string{"next poll", "-"})
	must(t, "source", "resume", src.URL)
	if s := mustJSON[feed.Source](t, "source", "show", src.ID); s.State() != feed.SourceActive {
		t.Errorf("after resume it is %s", s.State())
	}
	must(t, "source", "remove", src.ID)
	fails(t, cli.ExitFailed, src.ID+": not found", "source", "show", src.ID)

	fails(t, cli.ExitFailed, "must start with http:// or https://", "source", "add", "gopher://example.org/")
	fails(t, cli.ExitFailed, "publish: use manual or auto", "source", "add", second, "--publish", "never")
	fails(t, cli.ExitFailed, "12 hex digits) or its URL", "source", "show", "nothing")
	refused := mustJSON[feed.Source](t, "source", "add", "--exact", "http://127.0.0.1:1/feed")
	code, stdout, stderr := feedwire(t, "source", "poll", refused.ID)
	if code != cli.ExitFailed || !strings.Contains(stderr, "the poll failed: connect") {
		t.Errorf("a failed poll ends with %d, %q", code, stderr)
	}
	table(t, stdout, []string{"state", "failing"}, []string{"error", "the connection failed: *"}, []string{"advice", "check in a browser *"})
}

func TestFullPollReadsWhatHasNotChanged(t *testing.T) {
	t.Parallel()
	d, _, src := startFor(t)
	document := d.poll(src).Poll.LastDocument
	if s := d.poll(src); s.Poll.Status != http.StatusNotModified || !s.Poll.LastDocument.Equal(document) {
		t.Fatalf("a poll of what has not changed got %d, its document is of %v", s.Poll.Status, s.Poll.LastDocument)
	}
	full := mustJSON[feed.Source](t, "source", "poll", "--full", src.ID)
	if full.Poll.Status != http.StatusOK || !full.Poll.LastDocument.After(document) || full.Poll.FullRequested {
		t.Errorf("in full it got %d and is %+v", full.Poll.Status, full.Poll)
	}
	table(t, must(t, "source", "poll", "--trace", "--full", src.ID), []string{"request", "in full: a person requested it"},
		[]string{"document", "RSS 2.0 in utf-8, called \"Test\", entries: 2"}, []string{"same", "*"})
	if s := d.poll(src); s.Poll.Status != http.StatusNotModified {
		t.Errorf("the poll after it got %d", s.Poll.Status)
	}
	if n := len(d.signals()); n != 3 { // one of the source, two of its entries
		t.Errorf("reading the document again made signals: there are %d", n)
	}
}

func TestActionsPrintJSON(t *testing.T) {
	t.Parallel()
	_, _, src := startFor(t)
	for _, action := range []string{"pause", "resume"} {
		if s := mustJSON[feed.Source](t, "source", action, src.ID); s.ID != src.ID || s.Paused != (action == "pause") {
			t.Errorf("%s prints %+v", action, s)
		}
	}
}

func TestArticleCommands(t *testing.T) {
	t.Parallel()
	d, _, src := startFor(t)
	uuid := feed.ArticleUUID(src.URL, "p1")
	if got := mustJSON[[]feed.Article](t, "article", "list"); !cmp.Equal(got, d.articles("")) || len(got) != 2 {
		t.Errorf("list is %+v", got)
	}
	table(t, must(t, "article", "list", "--feed", "production"),
		[]string{"UUID", "FEED", "STATE", "IMPRESSIONS", "TITLE"}, []string{uuid, "production", "unpublished", "0", "Post 1"})

	done := mustJSON[feed.Transition](t, "article", "publish", uuid)
	if want := (feed.Transition{From: feed.StateUnpublished, To: feed.StatePublished, Revision: 1, Changed: true, Undo: done.Undo}); done != want || done.Undo == "" {
		t.Errorf("publish gives %+v", done)
	}
	if _, guids, _ := d.fetch("production", wiretest.Facebook, nil); !cmp.Equal(guids, []string{uuid}) {
		t.Errorf("the feed holds %v", guids)
	}
	wiretest.Eventually(t, "counted", func() bool { return d.metric("feedwire_impressions_total", "outcome", "counted") == 1 })
	table(t, must(t, "article", "show", uuid),
		[]string{"article", uuid}, []string{"title", "Post 1"}, []string{"canonical", "http://x.example/p1"},
		[]string{"source", src.URL}, []string{"entry", "*"}, []string{"development", "unpublished, revision 0, 0 impressions"},
		[]string{"production", "published, revision 1, 1 impressions"}, []string{"published *"}, []string{"impression *"})
	if a := mustJSON[feed.Article](t, "article", "show", uuid); len(a.Feeds["production"].Impressions) != 1 || a.Content == "" {
		t.Errorf("show gives %+v", a)
	}
	if got := mustJSON[[]feed.Article](t, "article", "list", "--feed", "production", "--state", "published"); len(got) != 1 {
		t.Errorf("published are %+v", got)
	}

	if out := must(t, "article", "withdraw", uuid); !strings.HasPrefix(out, uuid+" in production: published → withdrawn, revision 1\nundo within an hour: feedwire article undo ") {
		t.Errorf("withdraw prints %q", out)
	}
	fails(t, cli.ExitFailed, "not possible in this state", "article", "withdraw", uuid, "--feed", "development")
	fails(t, cli.ExitFailed, `no outgoing feed "x"; there are: production, development`, "article", "publish", uuid, "--feed", "x")
	fails(t, cli.ExitFailed, "use its UUID", "article", "publish", "nothing")
	fails(t, cli.ExitFailed, "use a whole number from 1 to 200", "article", "list", "--limit", "201")
	fails(t, cli.ExitFailed, "required with state", "article", "list", "--state", "published")
}

func TestSignalsTail(t *testing.T) {
	t.Parallel()
	d, web, src := startFor(t)
	shows := func(words ...string) func(outputs) bool {
		return func(term outputs) bool {
			for _, w := range words {
				if !strings.Contains(written(t, term.out), w+"\n") {
					return false
				}
			}
			return true
		}
	}
	edited := wiretest.Posts(2)
	edited[1].Title = "Post 1, corrected"
	web.Set("/feed.xml", edited...)
	d.poll(src)
	lines := shows("feed_created   "+src.URL, "Post 0", `title: "Post 1" → "Post 1, corrected"`)
	if code := interrupted(t, lines, "signals", "tail", "--after", "0-0"); code != cli.ExitOK {
		t.Errorf("tail ends with %d", code)
	}

	web.Set("/feed.xml", wiretest.Posts(7)...)
	d.poll(src)
	restyled := wiretest.Posts(7)
	for i := range restyled {
		restyled[i].Body += "<hr>"
	}
	web.SetRaw("/feed.xml", bytes.Replace(web.Render(restyled), []byte("<title>Test<"), []byte("<title>Renamed<"), 1))
	d.poll(src)

	var page feed.Page[feed.Signal]
	d.do(http.MethodGet, "/api/v1/signals?limit=200&content=1", nil, &page)
	all := page.Items
	said := make(map[feed.SignalKind]int)
	for _, s := range all {
		said[s.Kind]++
		if s.Kind == feed.FeedModified && (s.Unsignalled.Modified != 7 || s.Changed["title"] != feed.Change{From: "Test", To: "Renamed"}) {
			t.Errorf("the source that changed is told as %+v", s)
		}
	}
	if diff := cmp.Diff(map[feed.SignalKind]int{feed.FeedCreated: 1, feed.FeedModified: 1, feed.PostCreated: 7, feed.PostModified: 2}, said); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
	var got []feed.Signal
	read := func(term outputs) bool {
		got = nil
		for line := range strings.Lines(written(t, term.out)) {
			var s feed.Signal
			if json.Unmarshal([]byte(line), &s) != nil {
				return false // it is being written
			}
			got = append(got, s)
		}
		return len(got) == len(all)-1
	}
	if code := interrupted(t, read, "signals", "tail", "--after", all[0].ID, "-o", "json"); code != cli.ExitOK {
		t.Errorf("tail as JSON ends with %d", code)
	}
	if diff := cmp.Diff(all[1:], got); diff != "" {
		t.Errorf("tail after the first is not what the API has (-API +tail):\n%s", diff)
	}

	n := 0
	news := func(term outputs) bool { // there must be some while it follows
		n++
		d.do(http.MethodPost, "/api/v1/sources", map[string]string{"url": fmt.Sprintf("%s/new%d", web.URL, n)}, nil)
		return strings.Contains(written(t, term.out), "feed_created")
	}
	if code := interrupted(t, news, "signals", "tail"); code != cli.ExitOK {
		t.Errorf("tail of what is new ends with %d", code)
	}
}

func TestSignalsTailGivesUpWhatCannotSucceed(t *testing.T) {
	t.Parallel()
	startFor(t)
	never := func(outputs) bool { return false }
	if code := interrupted(t, never, "signals", "tail", "--after", "nonsense"); code != cli.ExitFailed {
		t.Errorf("a wrong id ends with %d", code)
	}
	setenv(t, "FEEDWIRE_API_TOKEN", "not-the-token-of-a-daemon")
	if code := interrupted(t, never, "signals", "tail", "--after", "0-0"); code != cli.ExitFailed {
		t.Errorf("a wrong token ends with %d", code)
	}
}

func TestSignalsTailFromTheOldest(t *testing.T) {
	t.Parallel()
	startFor(t)
	oldest := func(term outputs) bool { return strings.Contains(written(t, term.out), "feed_created") }
	if code := interrupted(t, oldest, "signals", "tail", "--after", "0"); code != cli.ExitOK {
		t.Errorf("--after 0 ends with %d", code)
	}
}
