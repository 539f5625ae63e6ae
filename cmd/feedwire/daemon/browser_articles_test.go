//go:build !race

package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

const crane = "Crane seven learns to whistle"

// startHarbour starts a daemon with six articles for its production feed, which editors publish.
func startHarbour(t *testing.T) *daemon {
	t.Helper()
	d := start(t, storetest.RedisAOF(t), "")
	d.add(world(t)+"/harbour.rss", map[string]any{"feeds": []string{"production"}})
	wiretest.Eventually(t, "known", func() bool { return len(d.articles("")) == 6 })
	return d
}

// states are those of the articles of a daemon in its production feed, by title.
func (d *daemon) states() map[string]feed.State {
	d.t.Helper()
	all := make(map[string]feed.State)
	for _, a := range d.articles("") {
		all[a.Title] = a.Feeds["production"].State
	}
	return all
}

// An editor publishes an article and watches it being taken, on a page that stays.
func testImpressions(t *testing.T, b *browser) {
	d := startHarbour(t)
	p := b.editor(t, d)
	p.follows("articles")
	p.follows("Publish " + crane + " in production")
	p.sees("Published.")
	value[bool](p, `document.same = true`)
	for n := 1; n < feed.ImportAfter; n++ {
		d.fetch("production", wiretest.Facebook, nil)
		p.sees(fmt.Sprintf("%d of %d", n, feed.ImportAfter))
	}
	d.fetch("production", wiretest.Facebook, nil)
	p.waits("imported", `[...document.querySelectorAll("main tbody tr")].some(r => r.innerText.includes(%s) && r.innerText.includes("imported"))`, crane)
	if !value[bool](p, `document.same === true`) {
		t.Error("the page was loaded again for that")
	}
	p.calm()
}

func testTakingBack(t *testing.T, b *browser) {
	d := startHarbour(t)
	p := b.editor(t, d)
	p.withdraws(crane)
	if got := d.states()[crane]; got != feed.StatePublished {
		t.Errorf("the article is %s", got)
	}
	p.calm()
}

// withdraws publishes an article, withdraws it, and undoes that.
func (p *tab) withdraws(title string) {
	p.t.Helper()
	p.opens("/articles")
	p.follows("Publish " + title + " in production")
	p.sees("Published.")
	p.follows("Withdraw " + title + " from production")
	p.sees("Withdrawn.")
	p.follows("Undo")
	p.sees("Undone")
	p.follows("Withdraw " + title + " from production")
	p.sees("Withdrawn.")
	p.follows("Undo")
}

func testBulk(t *testing.T, b *browser) {
	d := startHarbour(t)
	p := b.editor(t, d)
	p.opens("/articles")
	p.clicks("All on this page")
	p.sees("6 selected")
	p.follows("Publish")
	p.sees("6 articles published.")
	for title, state := range d.states() {
		if state != feed.StatePublished {
			t.Errorf("%s is %s", title, state)
		}
	}
	p.follows("Undo")
	p.sees("Undone for 6 articles.")
	for title, state := range d.states() {
		if state == feed.StatePublished {
			t.Errorf("%s is still out", title)
		}
	}
	p.calm()
}

// An editor reviews the inbox with keys: reads in place, publishes, dismisses and undoes, while nothing moves and new articles wait.
func testInbox(t *testing.T, b *browser) {
	d := startHarbour(t)
	p := b.editor(t, d)
	p.opens("/")
	p.sees("6 to review")
	p.follows("Inbox")
	p.sees("6 to review")
	value[bool](p, `document.same = true`)
	if !value[bool](p, `[...document.querySelectorAll(".bulk button")].every(b => b.disabled)`) {
		t.Error("the bar for selected articles is enabled while nothing is selected")
	}
	const order = `[...document.querySelectorAll("[data-row] .title")].map(a => a.textContent).join()`
	before := value[string](p, order)
	const row = `document.querySelectorAll("[data-row]")[%s]`
	p.types("j ")
	p.waits("the text in place", `!!`+row+`.querySelector(".story > .text")`, 0)
	p.types(" ")
	p.types("p")
	p.waits("published", row+`.querySelector(".outcome")?.textContent === "Published"`, 0)
	p.waits("the focus on the second", row+`.contains(document.activeElement)`, 1)
	p.types("x")
	p.waits("dismissed", row+`.querySelector(".outcome")?.textContent === "Dismissed"`, 1)
	p.sees("4 to review")
	p.types("u")
	p.waits("undone", `!`+row+`.querySelector(".outcome")`, 1)
	p.sees("5 to review")
	if after := value[string](p, order); after != before {
		t.Errorf("the rows are %q, were %q", after, before)
	}
	p.types("s")
	p.waits("the bar is enabled", `[...document.querySelectorAll(".bulk button")].every(b => !b.disabled)`)
	a := feed.Article{UUID: feed.ArticleUUID("http://x.test/", "late"), FeedURL: "http://x.test/", GUID: "late", Title: "A late one", Digest: "1"}
	if _, err := d.app.store.Articles.SaveArticle(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	p.waits("a new article waits", `document.querySelector(".fresh")?.textContent === "1 new"`)
	if after := value[string](p, order); after != before || !value[bool](p, `document.same === true`) {
		t.Errorf("the rows are %q, were %q", after, before)
	}
	if !value[bool](p, `document.querySelectorAll("[data-row]")[1].querySelector("[name=pick]").checked`) {
		t.Error("the selection is lost")
	}
	p.follows("1 new")
	p.sees("6 to review", "A late one")
	p.calm()
}

// A page names a decision that another editor made since it was loaded.
func testConflict(t *testing.T, b *browser) {
	d := startHarbour(t)
	ann := b.tab(t, d.Base)
	ann.scripts(false) // lest her page follow
	ann.signsUp(d)
	bob := b.tab(t, d.Base)
	bob.joins(d, "editor")
	ann.opens("/articles")
	bob.opens("/articles")
	bob.follows("Publish " + crane + " in production")
	bob.sees("Published.")
	ann.follows("Publish " + crane + " in production")
	ann.sees("Someone else changed this", crane, "bob published it")
	revision := func() int {
		for _, a := range d.articles("") {
			if strings.HasPrefix(a.Title, crane) {
				return a.Feeds["production"].Revision
			}
		}
		return 0
	}
	if got := revision(); got != 1 {
		t.Errorf("the article is out in revision %d", got)
	}
	ann.follows("Republish anyway")
	ann.sees("Published.")
	if got := revision(); got != 2 {
		t.Errorf("the article is out in revision %d", got)
	}
	ann.calm()
	bob.calm()
}

// A new person follows the one-time link, then the next step that each page offers, and has published an article.
func testNewEditor(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	p := b.editor(t, d)
	p.follows("Add a source")
	p.writes(world(t))
	p.follows("Find feeds")
	p.follows("Preview ")
	p.follows("Add source")
	p.follows("Show articles")
	p.follows("Publish " + crane + " in production")
	p.sees("Published.")
	if got := d.states()[crane]; got != feed.StatePublished {
		t.Errorf("the article is %s", got)
	}
	p.calm()
}
