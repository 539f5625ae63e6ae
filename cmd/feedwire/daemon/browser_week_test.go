//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/storetest"
)

// papers serves five feeds with eight entries each, a minute apart, the newest of which are of now.
func papers(t *testing.T) (origin *wiretest.Origin, urls []string) {
	t.Helper()
	origin = wiretest.NewOrigin(t)
	for i, name := range []string{"Harbour Post", "Observatory", "Allotment", "Tide Tables", "Night Shift"} {
		path := fmt.Sprintf("/%d.xml", i)
		origin.SetRaw(path, paper(name, time.Now(), 8))
		urls = append(urls, origin.URL+path)
	}
	return origin, urls
}

// paper returns a feed whose newest entry is of a time.
func paper(name string, newest time.Time, entries int) []byte {
	var items strings.Builder
	for n := range entries {
		at := newest.Add(-time.Duration(n) * time.Minute).UTC()
		fmt.Fprintf(&items, `<item><guid>%s %s</guid><title>%[1]s, number %[3]d</title><pubDate>%[4]s</pubDate>`+
			`<description>What happened at %[5]s.</description></item>`, name, at.Format(time.DateTime), n+1, at.Format(time.RFC1123), at.Format("15:04"))
	}
	return fmt.Appendf(nil, `<rss version="2.0"><channel><title>%s</title>%s</channel></rss>`, name, &items)
}

// A member accepts an invitation, follows five sources, reads thirty entries and saves one. A week later the session has ended and the
// timeline has expired: the member signs in, finds what is new, and the saved entry.
func testFirstWeek(t *testing.T, b *browser) {
	clock := wiretest.NewClock(t)
	redis := storetest.RedisAOF(t, clock.EnvironmentOfC()...)
	d := start(t, redis, "people: {sign_up: invited}\n")
	origin, urls := papers(t)
	p, axe := b.tab(t, d.Base), newAxe(t)
	show := func(name string) {
		t.Helper()
		for _, scheme := range []string{"dark", "light"} {
			p.prefers(scheme)
			for _, fault := range axe.faults(p, scheme == "dark") {
				t.Errorf("%s, %s: %s", name, scheme, fault)
			}
			for _, window := range []struct {
				width int64
				name  string
			}{{390, "-phone"}, {1280, ""}} {
				p.does(chromedp.EmulateViewport(window.width, 800))
				if wide := value[[]string](p, tooWide); len(wide) > 0 {
					t.Errorf("%s is wider than %d: %s", name, window.width, strings.Join(wide, ", "))
				}
				if *screens != "" {
					p.keeps(filepath.Join(*screens, "week-"+name+window.name+"-"+scheme+".png"))
				}
			}
		}
	}

	var invited people.NewInvitation
	d.do(http.MethodPost, "/api/v1/invitations", nil, &invited)
	p.opens(invited.Link)
	p.fills("Name", "mara")
	p.fills("Password", password)
	p.fills("Confirm password", password)
	p.follows("Create account")
	p.at("/read")
	show("new")
	for _, url := range urls {
		p.fills("Address of a site or feed", url)
		p.follows("Follow")
		p.sees("You follow the source.")
	}
	wiretest.Eventually(t, "forty entries", func() bool {
		p.opens("/read")
		return value[string](p, `document.querySelector("[data-unread]")?.textContent ?? ""`) == "40"
	})
	show("timeline")

	title := value[string](p, `document.querySelector("[data-row] h2").textContent`)
	p.types("js")
	p.sees("Unsave")
	p.follows(title)
	p.sees("What happened")
	p.leaves(func() { p.types("u") })
	p.at("/read")
	p.waits("one is read", `document.querySelector("[data-unread]").textContent === "39"`)
	p.types("j" + strings.Repeat("jm", 29))
	p.waits("thirty are read", `document.querySelectorAll("[data-row].read").length === 30 && document.querySelector("[data-unread]").textContent === "10"`)
	p.sees("Allotment 2 unread")
	p.follows("Unread")
	p.waits("ten are listed", `document.querySelectorAll("[data-row]").length === 10`)

	const week = 7*24*time.Hour + time.Minute
	account, err := d.app.store.People.Account(t.Context(), "mara")
	if err != nil {
		t.Fatal(err)
	}
	timeline := fmt.Sprintf("feed:user:%d", account.ID)
	raw := storetest.Commands(t, redis.Dial)
	if raw.Int("EXISTS", timeline) != 1 {
		t.Fatalf("there is no %s", timeline)
	}
	origin.SetRaw("/0.xml", paper("Harbour Post", time.Now().Add(week), 3))
	clock.Jump(week)
	wiretest.Eventually(t, "three new entries", func() bool { return raw.Int("ZCARD", urls[0]+":sort") == 11 })
	if raw.Int("EXISTS", timeline) != 0 {
		t.Error("the timeline of a reader who is away has not expired")
	}

	p.opens("/read")
	p.at("/login")
	p.fills("Name", "mara")
	p.fills("Password", password)
	p.follows("Sign in")
	p.at("/read")
	p.sees("3 new on this page since your last visit", "Unread 13")
	if raw.Int("EXISTS", timeline) != 1 {
		t.Error("the page has not filled the timeline")
	}
	show("back")
	p.follows("Saved")
	p.sees(title, "Unsave")
	show("saved")
	p.calm()
}
