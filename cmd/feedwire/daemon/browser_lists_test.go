//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/feedwire/feedwire/store/feed"
)

const front = "/lists/front-page/arrange"

// ordered waits until a page shows entries in an order, by their numbers, and the server has it.
func (p *tab) ordered(what, numbers string) {
	p.t.Helper()
	p.waits(what+": "+numbers, `[...document.querySelectorAll("[data-row]")].map(row => row.dataset.row).join(" ") === %s && !held`, numbers)
}

// says waits until screen readers are told a text.
func (p *tab) says(text string) {
	p.t.Helper()
	p.waits("announced: "+text, `document.querySelector("[data-announce]").textContent.includes(%s)`, text)
}

// handle returns the middle of the handle of an entry, in a window that shows the list.
func (p *tab) handle(number string) (x, y float64) {
	p.t.Helper()
	at := value[[]float64](p, `(number => {
  document.querySelector(".arranged").scrollIntoView({block: "center", behavior: "instant"});
  const r = document.querySelector('[data-row="' + number + '"] .handle').getBoundingClientRect();
  return [r.x + r.width / 2, r.y + r.height / 2];
})(%s)`, number)
	return at[0], at[1]
}

// drags moves the handle of an entry by the mouse to that of another one.
func (p *tab) drags(number, to string) {
	p.t.Helper()
	x, from := p.handle(number)
	_, y := p.handle(to)
	p.does(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, from, chromedp.ButtonLeft))
	for _, at := range []float64{from + (y-from)/2, y, y + (y-from)/20} {
		p.does(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, at, chromedp.ButtonLeft))
	}
	if *screens != "" {
		p.keeps(filepath.Join(*screens, "list-dragged.png"))
	}
	p.does(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, y, chromedp.ButtonLeft))
}

// touches moves the handle of an entry by a finger to that of another one.
func (p *tab) touches(number, to string) {
	p.t.Helper()
	x, from := p.handle(number)
	_, y := p.handle(to)
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		p.t.Helper()
		call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)})
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: from})
	for _, at := range []float64{from + (y-from)/2, y, y + (y-from)/20} {
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x, Y: at})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
}

// arranged starts a daemon with a list of the entries 1 to 5 of the harbour, which ann has made on the pages of the desk.
func arranged(t *testing.T, b *browser) (d *daemon, ann *tab) {
	t.Helper()
	d = startHarbour(t)
	ann = b.editor(t, d)
	ann.follows("lists")
	for _, step := range []string{"The list was deleted.", ""} {
		ann.fills("Title", "Front page")
		ann.follows("Create")
		ann.at(front)
		ann.sees("The list was created.", "This list has no entries yet.")
		if step != "" {
			ann.follows("Undo")
			ann.sees(step)
		}
	}
	var articles feed.Page[feed.Article]
	d.do(http.MethodGet, "/api/v1/articles", nil, &articles)
	ann.opens("/articles/" + articles.Items[0].UUID)
	ann.follows("Add to list")
	ann.follows("Add to: Front page")
	ann.sees("The entry was added to the list.", "in this list")
	ann.follows("Undo")
	ann.sees("not in this list")
	d.arranges("front-page", "Front page", "5", "4", "3", "2", "1")
	ann.heard() // the article has a video, which the policy of the page refuses
	return d, ann
}

// Editors arrange a list by mouse, touch and keys, and undo each change. Two windows show the same.
func testArranging(t *testing.T, b *browser) {
	d, ann := arranged(t, b)
	bob := b.tab(t, d.Base)
	bob.joins(d, "editor")
	for _, p := range []*tab{ann, bob} {
		p.opens(front)
		p.ordered("at first", "1 2 3 4 5")
		value[bool](p, `document.same = true`)
	}
	ann.drags("4", "2")
	ann.ordered("dragged up", "1 4 2 3 5")
	ann.says("is at position 2 of 5.")
	bob.ordered("dragged by ann", "1 4 2 3 5")
	bob.says("Someone else changed the order.")
	ann.drags("1", "5")
	ann.ordered("dragged to the end", "4 2 3 5 1")
	ann.types("z")
	ann.ordered("undone", "1 4 2 3 5")
	ann.does(chromedp.EmulateViewport(1280, 300))
	x, y := ann.handle("5")
	ann.does(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, 1, chromedp.ButtonLeft))
	ann.waits("scrolled by dragging", `document.querySelector("[data-row]").dataset.row === "5" && scrollY === 0`)
	ann.types(kb.Escape)
	ann.does(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, 1, chromedp.ButtonLeft), chromedp.EmulateViewport(1280, 800))
	ann.ordered("dragged and cancelled", "1 4 2 3 5")

	value[bool](ann, `(document.querySelector('[data-row="2"] .handle').focus(), true)`)
	ann.types(" ")
	ann.says("grabbed at position 3 of 5.")
	ann.types(kb.ArrowUp)
	ann.says("Now at position 2 of 5.")
	ann.types(kb.End + kb.Escape)
	ann.says("stays at position 3 of 5.")
	ann.ordered("cancelled", "1 4 2 3 5")
	ann.types(" " + kb.Home + kb.ArrowDown)
	d.do(http.MethodPut, "/api/v1/lists/front-page/entries/5", map[string]int{"position": 1}, nil)
	bob.ordered("moved by a program", "5 1 4 2 3")
	ann.types(" ")
	ann.sees("Someone else changed this.")
	ann.ordered("refused, and shown as it is", "5 1 4 2 3")
	ann.isReadable("arrange-refused")
	ann.clicks("Move “")
	ann.ordered("moved nevertheless", "5 1 2 4 3")
	if !value[bool](ann, `document.activeElement.closest("[data-row]").dataset.row === "2"`) {
		t.Error("the focus left the entry that was moved")
	}
	ann.types(" " + kb.ArrowUp + " " + " " + kb.ArrowUp + " ")
	ann.ordered("moved twice at once", "2 5 1 4 3")

	remove := "Remove: " + value[string](ann, `document.querySelector('[data-row="1"] .what a').textContent`)[:20]
	ann.clicks(remove)
	ann.ordered("removed", "2 5 4 3")
	bob.ordered("removed by ann", "2 5 4 3")
	ann.sees("The entry was removed from the list.")
	ann.clicks("Undo")
	ann.ordered("added again where it was", "2 5 1 4 3")

	call(ann, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	ann.does(chromedp.EmulateViewport(390, 844))
	ann.touches("3", "2")
	ann.ordered("moved by touch", "3 2 5 1 4")
	bob.ordered("moved by touch by ann", "3 2 5 1 4")
	for _, p := range []*tab{ann, bob} {
		if !value[bool](p, `document.same === true`) {
			t.Error("the page was loaded again")
		}
	}
	value[bool](ann, `(self.reached = fetch, self.fetch = () => Promise.reject(new TypeError("away")), document.querySelector('[data-row="4"] .handle').focus(), true)`)
	ann.types(" " + kb.Home + " ")
	ann.sees("The change was not saved: the server is unreachable.")
	value[bool](ann, `(self.fetch = reached, true)`)
	ann.ordered("as it is saved", "3 2 5 1 4")
	if err := d.app.store.People.ChangeAccount(t.Context(), "ann", feed.AccountChange{EndSessions: true}); err != nil {
		t.Fatal(err)
	}
	value[bool](ann, `(document.querySelector('[data-row="4"] .handle').focus(), true)`)
	ann.leaves(func() { ann.types(" " + kb.Home + " ") })
	ann.sees("You were signed out, so the form was not saved.")
	ann.fills("Name", "ann")
	ann.fills("Password", password)
	ann.follows("Sign in")
	ann.follows("Submit form")
	ann.at(front)
	ann.ordered("moved after signing in again", "4 3 2 5 1")
	ann.calm()
	bob.calm()
}

// isReadable checks a page in both colour schemes and at the width of a telephone.
func (p *tab) isReadable(name string) {
	p.t.Helper()
	axe := newAxe(p.t)
	for _, scheme := range []string{"dark", "light"} {
		p.prefers(scheme)
		for _, fault := range axe.faults(p, scheme == "dark") {
			p.t.Errorf("%s, %s: %s", name, scheme, fault)
		}
		for _, width := range []int64{390, 1280} {
			p.does(chromedp.EmulateViewport(width, 800))
			if *screens != "" {
				p.keeps(filepath.Join(*screens, fmt.Sprint(name, "-", scheme, "-", width, ".png")))
			}
			if wide := value[[]string](p, tooWide); len(wide) > 0 {
				p.t.Errorf("%s is wider than a window of %d: %v", name, width, wide)
			}
		}
	}
}
