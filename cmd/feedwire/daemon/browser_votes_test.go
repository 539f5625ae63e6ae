//go:build !race

package daemon

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// joins signs bob in with a role, by the link that a new account gets.
func (p *tab) joins(d *daemon, role string) {
	p.t.Helper()
	p.joinsAs(d, "bob", role)
}

// joinsAs is joins for another name.
func (p *tab) joinsAs(d *daemon, name, role string) {
	p.t.Helper()
	var added struct{ Link string }
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": name, "role": role}, &added)
	p.opens(added.Link[strings.Index(added.Link, "/welcome"):])
	p.fills("Password", password)
	p.fills("Confirm password", password)
	p.follows("Set password")
}

// signsIn opens a page as a person who has an account.
func (p *tab) signsIn(name, path string) {
	p.t.Helper()
	p.opens(path)
	p.fills("Name", name)
	p.fills("Password", password)
	p.follows("Sign in")
}

// votes waits until the first ballot of a page shows a number of votes and the own vote: up, down or none.
func (p *tab) votes(what, number, own string) {
	p.t.Helper()
	p.waits(what+": "+number+" "+own, `(ballot => ballot.querySelector("[data-votes]").textContent === %s &&
  (ballot.querySelector("[aria-pressed=true]")?.dataset.do ?? "none") === %s)(document.querySelector("[data-vote]"))`, number, own)
}

// Two people and two windows of one of them see the votes of all, on a page that stays.
func testVoting(t *testing.T, b *browser) {
	d, ann := b.reader(t)
	crane := value[string](ann, `document.querySelector("h2 a").getAttribute("href")`)
	bob, again := b.tab(t, d.Base), b.tab(t, d.Base)
	bob.joins(d, "viewer")
	bob.opens(crane)
	again.signsIn("ann", crane)
	for _, p := range []*tab{ann, bob, again} {
		value[bool](p, `document.same = true`)
	}
	ann.types("j+")
	start := time.Now()
	ann.votes("with a key", "1", "up")
	bob.votes("of ann", "1", "none")
	t.Logf("the vote is in the other window after %v", time.Since(start).Round(100*time.Millisecond))
	again.votes("in another window", "1", "up")
	bob.clicks("Vote down: " + craneTitle[:20])
	bob.votes("with the mouse", "0", "down")
	ann.votes("of bob", "0", "up")
	ann.types("-")
	ann.votes("the other way", "-2", "down")
	ann.types("z")
	ann.votes("undone", "0", "up")
	again.votes("undone in another window", "0", "up")
	bob.clicks("Vote down: " + craneTitle[:20])
	bob.votes("taken back", "1", "none")
	ann.types("+")
	ann.votes("taken back", "0", "none")
	bob.votes("taken back by ann", "0", "none")
	for _, p := range []*tab{ann, bob, again} {
		if !value[bool](p, `document.same === true`) {
			t.Error("the page was loaded again")
		}
		p.calm()
	}
}

// Editors vote on the entries of articles, in the list and on the page of one, and without JavaScript.
func testVotingOnArticles(t *testing.T, b *browser) {
	d := startHarbour(t)
	ann, bob := b.editor(t, d), b.tab(t, d.Base)
	bob.joins(d, "viewer")
	for _, p := range []*tab{ann, bob} {
		p.opens("/articles")
		value[bool](p, `document.same = true`)
	}
	ann.types("j+")
	ann.votes("with a key", "1", "up")
	bob.votes("of ann", "1", "none")
	uuid := value[string](ann, `document.querySelector("[data-row]").dataset.row`)
	d.do(http.MethodPost, "/api/v1/articles/"+uuid+"/publish", map[string]string{"feed": "production"}, nil)
	for _, p := range []*tab{ann, bob} {
		p.waits("the list is drawn again", `document.querySelector("[data-row] .badge").textContent === "published"`)
	}
	ann.types("-")
	ann.votes("after the list was drawn again", "-1", "down")
	bob.votes("after the list was drawn again", "-1", "none")
	if !value[bool](bob, `document.same === true`) {
		t.Error("the page was loaded again")
	}
	ann.calm()
	bob.calm()
	ann.opens("/articles/" + uuid)
	ann.votes("on the page of the article", "-1", "down")
	ann.types("-")
	ann.votes("taken back", "0", "none")
	bob.votes("taken back by ann", "0", "none")
	axe := newAxe(t)
	for _, path := range []string{"/articles", "/articles/" + uuid} {
		ann.opens(path)
		for _, scheme := range []string{"light", "dark"} {
			ann.prefers(scheme)
			for _, fault := range axe.faults(ann, scheme == "dark") {
				t.Errorf("%s, %s: %s", path, scheme, fault)
			}
			for _, width := range []int64{390, 1280} {
				ann.does(chromedp.EmulateViewport(width, 900))
				if *screens != "" {
					ann.keeps(filepath.Join(*screens, "votes-"+filepath.Base(path)[:8]+"-"+scheme+"-"+map[int64]string{390: "390", 1280: "1280"}[width]+".png"))
				}
				if wide := value[[]string](ann, tooWide); len(wide) > 0 {
					t.Errorf("%s is wider than a window of %d: %v", path, width, wide)
				}
			}
		}
	}
	bob.scripts(false)
	bob.opens("/articles")
	for _, step := range []struct{ notice, votes string }{{"Your vote counts.", "1"}, {"Your vote no longer counts.", "0"}} {
		bob.follows("Vote up: ")
		bob.sees(step.notice)
		bob.at("/articles")
		if got := value[string](bob, `document.querySelector("[data-votes]").textContent`); got != step.votes {
			t.Errorf("%s There are %s votes, want %s", step.notice, got, step.votes)
		}
	}
}
