//go:build !race

package daemon

import (
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
	bob.joins(d, "member")
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
	eve := b.tab(t, host)
	eve.joinsAs(d, "eve", "editor")
	moderates(t, d, host, ann, bob, eve)
	promotes(d, b.tab(t, d.Base))
	ann.calm()
	bob.calm()
}

// moderates lets bob report a comment of ann, and the editor eve hide it, undo that, hide and restore it again, and ban ann.
func moderates(t *testing.T, d *daemon, host string, ann, bob, eve *tab) {
	t.Helper()
	bob.opens("/comment/1/2")
	bob.follows("Report: comment 2 by ann")
	bob.sees("The southern one", "The author does not learn who reported")
	value[bool](bob, `(document.querySelector("[value=abuse]").click(), true)`)
	bob.fills("Note", "There is no pier")
	bob.follows("Report")
	bob.sees("A moderator reads your report")

	eve.opens("/")
	eve.follows("Moderation 1 open reports")
	eve.sees("abuse: There is no pier", "The southern one")
	eve.follows("Hide: comment 1-2")
	eve.sees("Only its author sees it", "No reports wait")
	ann.opens("/news/1")
	ann.sees("The southern one")
	bob.opens("/news/1")
	if value[bool](bob, `document.body.textContent.includes("southern")`) {
		t.Error("others read a hidden comment")
	}
	eve.follows("Undo")
	eve.sees("The decision is undone", "abuse: There is no pier")
	eve.fills("Reason: comment 1-2", "An invention")
	eve.follows("Remove: comment 1-2")
	eve.follows("Decisions")
	eve.sees("An invention", "undone")
	eve.follows("comment 1-2")
	eve.follows("Restore: comment 2 by ann")
	eve.sees("Everyone sees it")
	bob.opens("/news/1")
	bob.sees("The southern one")
	eve.opens("/user/ann")
	eve.follows("Ban")
	eve.sees("This member is banned")
	ann.opens("/news/1")
	ann.fills("Your comment", "Why?")
	ann.follows("Comment")
	ann.sees("the account is banned here")
	eve.calm()
}

// promotes lets the editor eve make an article of the submission and publish it.
func promotes(d *daemon, eve *tab) {
	eve.signsIn("eve", "/entries/1")
	eve.follows("Make an article")
	eve.sees("A ferry on time", "unpublished")
	eve.follows("Publish")
	if all := d.articles("feed=production&state=published"); len(all) != 1 || all[0].Title != "A ferry on time" {
		eve.t.Errorf("published are %+v", all)
	}
	eve.calm()
}
