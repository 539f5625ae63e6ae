//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/feedwire/feedwire/cmd/feedwire/demo"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// TestDesk is what people do at the desk, in a browser.
func TestDesk(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	for name, test := range map[string]func(*testing.T, *browser){
		"an account by the one-time link":              testFirstAccount,
		"an article, until it is imported":             testImpressions,
		"an article withdrawn, and had back":           testTakingBack,
		"two editors":                                  testConflict,
		"the first article of a new editor":            testNewEditor,
		"many articles at once":                        testBulk,
		"the inbox with keys":                          testInbox,
		"a session that has ended":                     testEndedSession,
		"a source from the URL of a page":              testSourceOfPage,
		"a source that is taken away, and had back":    testUndoOfSource,
		"a list of sources, and how far its import is": testImportOfList,
		"signals as they come":                         testLiveSignals,
		"200 signals a second":                         testManySignals,
		"the overview as things happen":                testLiveOverview,
		"with the keyboard alone":                      testKeyboard,
		"an entry with the keyboard alone":             testKeyboardEntry,
		"without JavaScript":                           testWithoutScripts,
		"hostile sources":                              testHostileSources,
		"a timeline in each layout":                    testReading,
		"a timeline with keys":                         testReadingKeys,
		"a timeline by touch":                          testReadingByTouch,
		"a timeline without the network":               testReadingOffline,
		"votes of two people and three windows":        testVoting,
		"votes on articles":                            testVotingOnArticles,
		"a list that editors arrange":                  testArranging,
		"the first week of a member":                   testFirstWeek,
		"pages":                                        testPages,
		"community of a new member":                    testCommunity,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

// world serves the sites of the demo.
func world(t *testing.T) string {
	t.Helper()
	now := time.Now()
	srv := httptest.NewServer(demo.NewOrigin(func() time.Time { return now }))
	t.Cleanup(srv.Close)
	return srv.URL
}

// editor opens a tab in which the first person has just signed in.
func (b *browser) editor(t *testing.T, d *daemon) *tab {
	t.Helper()
	p := b.tab(t, d.Base)
	p.signsUp(d)
	return p
}

// signsUp makes the first account.
func (p *tab) signsUp(d *daemon) {
	p.t.Helper()
	link, err := d.app.people.FirstLink(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.opens(link)
	p.fills("Name", "ann")
	p.fills("Password", password)
	p.fills("Confirm password", password)
	p.follows("Create account")
	p.at("/")
}

func testFirstAccount(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	p := b.editor(t, d)
	p.sees("ann")
	p.follows("Sign out")
	p.at("/login")
	p.opens("/audit")
	p.at("/login")
	p.fills("Name", "ann")
	p.fills("Password", "not it at all")
	p.follows("Sign in")
	p.sees("Name or password is wrong.")
	p.fills("Password", password)
	p.follows("Sign in")
	p.at("/audit")
	p.sees("used a one-time link")
	p.calm()
}

func mustAccounts(t *testing.T, d *daemon) []feed.Account {
	t.Helper()
	all, err := d.app.store.People.AccountsAfter(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A page names an ended session, and its form keeps the text until the user has signed in.
func testEndedSession(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	p := b.editor(t, d)
	p.opens("/users")
	p.fills("Name", "bob")
	if err := d.app.store.People.ChangeAccount(t.Context(), "ann", feed.AccountChange{EndSessions: true}); err != nil {
		t.Fatal(err)
	}
	p.follows("Add user")
	p.sees("the form was not saved")
	p.fills("Name", "ann")
	p.fills("Password", password)
	p.follows("Sign in")
	p.sees("You are signed in as ann.", "has not been submitted yet")
	if all := mustAccounts(t, d); len(all) != 1 {
		t.Errorf("the form was saved though the session had ended: %v", all)
	}
	axe := newAxe(t)
	for _, fault := range axe.faults(p, false) {
		t.Error(fault)
	}
	p.follows("Submit form")
	p.at("/users")
	p.sees("bob")
	p.calm()
}

func testSourceOfPage(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	site := world(t)
	p := b.editor(t, d)
	p.follows("sources")
	p.follows("Add the first source")
	p.fills("Address of a site, a page or a feed", site+"\r")
	p.sees("Found")
	p.follows("Preview " + site + "/harbour.rss")
	p.sees("Crane seven learns to whistle")
	p.follows("Add source")
	p.sees("6 in the last document")
	p.calm()
}

func testUndoOfSource(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	src := d.add(world(t)+"/harbour.rss", nil)
	p := b.editor(t, d)
	p.pausesAndRemoves(src)
	p.calm()
}

// pausesAndRemoves takes a source away in two ways, and back.
func (p *tab) pausesAndRemoves(src feed.Source) {
	p.t.Helper()
	p.opens("/sources/" + src.ID)
	p.follows("Pause")
	p.sees("Paused. Resume the source to continue polling.", "paused")
	p.follows("Undo")
	p.sees("Resumed", "active")
	p.follows("Remove")
	p.at("/sources")
	p.sees("Removed.")
	p.follows("Undo")
	p.sees("Restored.")
	p.opens("/sources")
	p.sees("Harbour Notes")
}

func testImportOfList(t *testing.T, b *browser) {
	const many = 300
	d := start(t, storetest.RedisAOF(t), "")
	var list strings.Builder
	list.WriteString(`<opml version="2.0" xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body><outline type="rss" text="No address" xmlUrl="mailto:ann@example.org"/>`)
	for n := range many {
		fmt.Fprintf(&list, `<outline type="rss" text="Blog %d" xmlUrl="http://192.0.2.1/%d.xml" f:paused="true"/>`, n, n)
	}
	list.WriteString("</body></opml>")
	p := b.editor(t, d)
	p.opens("/sources/import")
	p.uploads(list.String())
	value[bool](p, `document.same = true`)
	p.sees(fmt.Sprintf("of %d", many+1))
	p.waits("done", `document.querySelector("progress").value === %s`, many+1)
	p.sees("Imported.", fmt.Sprintf("%d added · 0 known · 1 refused, of %d", many, many+1), "No address")
	if !value[bool](p, `document.same === true`) {
		t.Error("the page was reloaded")
	}
	p.calm()
}

func testLiveSignals(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	src := d.add(web.URL+"/feed.xml", nil)
	p := b.editor(t, d)
	p.opens("/signals")
	p.sees("Live", "Post 1")
	value[bool](p, `document.same = true`)
	web.Set("/feed.xml", append(wiretest.Posts(2), wiretest.Post("p9", "Ferry runs late", "<p>Text.</p>"))...)
	d.poll(src)
	p.sees("Ferry runs late")
	if !value[bool](p, `document.same === true`) {
		t.Error("the page was reloaded")
	}
	p.calm()
}

// The page follows 200 signals a second, misses none, and does not grow.
func testManySignals(t *testing.T, b *browser) {
	const most = 200 // rows
	d := start(t, storetest.RedisAOF(t), "")
	src := d.outOfReach()
	p := b.editor(t, d)
	p.opens("/signals")
	p.sees("Live")
	value[bool](p, `(() => {
  const table = document.querySelector("table[data-live]");
  document.most = 0;
  new MutationObserver(() => { document.most = Math.max(document.most, table.tBodies[0].rows.length); }).observe(table, {childList: true, subtree: true});
  return true;
})()`)
	d.brings(src, "<p>Text.</p>")
	p.waits("all seen", `document.querySelector("table[data-live]").dataset.liveSeen === %s`, fmt.Sprint(allNews))
	p.sees(fmt.Sprintf("News news-%d", allNews-1))
	if rows := value[int](p, `document.most`); rows != most {
		t.Errorf("the table had up to %d rows, want %d", rows, most)
	}
	p.calm()
}

// The overview updates itself, keeps the keyboard focus, and shows that the store is gone until it is back.
func testLiveOverview(t *testing.T, b *browser) {
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "")
	p := b.editor(t, d)
	p.sees("Everything is OK. There are no sources yet.", "0 active")
	value[bool](p, `document.same = true`)
	p.tabsTo("Sources")
	src := d.add(world(t)+"/harbour.rss", map[string]any{"feeds": []string{"production"}, "publish": "auto"})
	p.sees("Everything is OK.", "1 active", "6 articles", "6 published", crane)
	d.do(http.MethodPost, "/api/v1/sources/"+src.ID+"/pause", nil, nil)
	p.sees("0 active", "1 paused")
	redis.Kill()
	p.sees("The store does not answer. This page shows the state of")
	p.waits("greyed out", `document.documentElement.matches(".outdated")`)
	redis.Restart()
	p.waits("current", `document.querySelector(".outage").textContent === "" && !document.querySelector(".outdated")`)
	d.do(http.MethodPost, "/api/v1/sources/"+src.ID+"/resume", nil, nil)
	p.sees("1 active")
	if !value[bool](p, `document.same === true`) {
		t.Error("the page was reloaded")
	}
	if !value[bool](p, `document.activeElement.getAttribute("href") === "/sources"`) {
		t.Error("the focus is lost")
	}
	p.calm()
}

// tabsTo presses Tab until the element with this name has the focus, and checks that the focus is visible.
func (p *tab) tabsTo(name string) {
	p.t.Helper()
	p.waits("there: "+name, thing+` !== null`, name)
	for range 100 {
		p.types(kb.Tab)
		if value[bool](p, `document.activeElement === `+thing, name) {
			if !value[bool](p, `parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 1`) {
				p.t.Errorf("%s shows no focus", name)
			}
			return
		}
	}
	p.t.Fatalf("%s cannot be reached by the Tab key", name)
}

// enters presses Enter on the element with this name and waits for the next page.
func (p *tab) enters(name string) {
	p.t.Helper()
	p.tabsTo(name)
	p.leaves(func() { p.types(kb.Enter) })
}

func testKeyboard(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	site := world(t)
	p := b.editor(t, d)
	p.enters("Sign out")
	p.waits("ready to type", `document.activeElement.id === "name"`)
	p.types("ann" + kb.Tab + password)
	p.leaves(func() { p.types(kb.Enter) })
	p.enters("sources")
	p.enters("Add the first source")
	p.waits("ready to type", `document.activeElement.id === "url"`)
	p.types(site)
	p.leaves(func() { p.types(kb.Enter) })
	p.enters("Preview " + site + "/harbour.rss")
	p.tabsTo("development")
	p.types(" ")
	p.enters("Add source")
	p.sees("Harbour Notes")
	p.enters("Pause")
	p.enters("Undo")
	p.sees("Resumed")
	p.leaves(func() { p.types("ga") })
	p.at("/articles")
	p.types("j")
	p.leaves(func() { p.types("p") })
	p.sees("Published.")
	p.leaves(func() { p.types("u") })
	p.sees("Undone")
	p.types("/")
	p.waits("ready to search", `document.activeElement.id === "q"`)
	value[bool](p, `document.activeElement.select() || true`) // the browser is sent the text of the key, too
	p.types("night ferry")
	p.leaves(func() { p.types(kb.Enter) })
	p.waits("found", `document.querySelectorAll("main tbody tr").length === 1`)
	p.types("?")
	p.sees("withdraw it")
	p.types(kb.Escape)
	p.waits("closed", `!document.querySelector("dialog").open`)
	p.calm()
}

// An entry is written, previewed, edited and taken down.
func testKeyboardEntry(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	p := b.editor(t, d)
	notes, _ := d.notes("Low tide at noon", "<p>Mind the slipway.</p>")
	p.opens("/sources/" + notes)
	p.enters("New entry")
	p.tabsTo("Title")
	p.types("High water" + kb.Tab + kb.Tab + "<p>At six.</p>")
	p.enters("Preview")
	p.sees("Preview", "not saved", "At six.")
	p.enters("Save")
	p.sees("Saved.", "High water")
	p.enters("Edit")
	p.tabsTo("Authors")
	p.types("Ada Quay")
	p.enters("Save")
	p.sees("Ada Quay")
	p.enters("Take down")
	p.sees("Take down this entry?", "feedwire deletes “High water” for good.")
	p.enters("Take down")
	p.sees("Taken down.", "Low tide at noon")
	p.calm()
}

func testWithoutScripts(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "")
	src := d.add(world(t)+"/harbour.rss", nil)
	p := b.tab(t, d.Base)
	p.scripts(false)
	p.signsUp(d)
	p.withdraws("Crane seven learns to whistle")
	p.pausesAndRemoves(src)
	p.calm()
}
