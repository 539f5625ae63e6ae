//go:build !race

package daemon

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/feedwire/feedwire/store/storetest"
)

// A new member signs up, submits, votes, comments, replies, edits, saves and reads replies, on a host of the site's own.
func testCommunity(t *testing.T, b *browser) {
	d := start(t, storetest.RedisAOF(t), "people: {sign_up: open}\ncommunity: {enabled: true, host: talk.localhost, name: Harbour Talk}\n")
	host := strings.Replace(d.Base, "127.0.0.1", "talk.localhost", 1)
	ann, bob := b.tab(t, host), b.tab(t, host)
	ann.does(chromedp.EmulateViewport(390, 844))
	ann.opens("/submit")
	ann.follows("Create an account")
	ann.fills("Name", "ann")
	ann.fills("Password", password)
	ann.fills("Confirm password", password)
	ann.follows("Create account")
	ann.at("/submit")
	var added struct{ Link string }
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "bob", "role": "member"}, &added)
	bob.opens(added.Link[strings.Index(added.Link, "/welcome"):])
	bob.fills("Password", password)
	bob.fills("Confirm password", password)
	bob.follows("Set password")
	ann.fills("Title", "A ferry on time")
	ann.fills("URL", "https://ferry.example/")
	ann.leaves(func() { value[bool](ann, `(document.querySelector(".write .buttons button").click(), true)`) })
	ann.sees("in the list of new submissions", "A ferry on time ferry.example", "Remove from saved")

	bob.opens("/")
	value[bool](bob, `document.same = true`)
	bob.types("ja")
	bob.sees("2 points", "Voted up: A ferry on time")
	if !value[bool](bob, `document.same === true`) {
		t.Error("the page was loaded again")
	}
	bob.leaves(func() { bob.types("c") })
	bob.fills("Your comment", "Which `pier`?")
	bob.follows("Comment")
	bob.sees("Your comment is published", "Which pier?")

	ann.opens(value[string](bob, `location.pathname`))
	if lists := value[float64](ann, `document.querySelector("h1").getBoundingClientRect().top`); lists > 200 {
		t.Errorf("the title is %v px below the top of a telephone", lists)
	}
	ann.clicks("Reply: comment 1 by bob")
	ann.fills("Your reply", "The northern one")
	ann.leaves(func() {
		value[bool](ann, `(document.querySelector("form.write form, .acts + form.write").requestSubmit(), true)`)
	})
	ann.sees("The northern one")
	ann.follows("Edit: comment 2 by ann")
	ann.fills("Your comment", "The southern one")
	ann.follows("Save")
	ann.sees("The change is saved", "The southern one")

	bob.opens("/")
	bob.sees("Replies 1 unread")
	bob.leaves(func() { bob.types("gr") })
	bob.sees("The southern one", "new")
	bob.types("jj")
	bob.types("a")
	bob.sees("Voted up")
	bob.follows("Saved")
	bob.sees("A ferry on time")
	bob.types("?")
	bob.sees("fold or unfold a comment")
	ann.calm()
	bob.calm()
}
