//go:build !race

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	chromepage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/feedwire/feedwire/store/storetest"
)

// browser is a Chromium without windows, for all tests of the desk.
type browser struct{ ctx context.Context }

// tabPatience is how long a tab waits for what it is to show, on a machine that has much else to do.
const tabPatience = 2 * time.Minute

func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("the desk is tested in Chromium, and there is none in PATH: run .ci/chromium, or install Chromium or Google Chrome")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, // it sees our own pages only, and has to start where tests run as root
		chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(tabPatience))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, closing := chromedp.NewContext(ctx)
	t.Cleanup(closing)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
	return &browser{ctx}
}

// tab is a browser tab with its own cookies.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	troubles []string // errors of scripts, dialogs, and what the Content-Security-Policy refused
	asked    []string // URLs that were loaded, pictures of previews aside
}

// tab opens an empty tab on a daemon.
func (b *browser) tab(t *testing.T, base string) *tab {
	t.Helper()
	ctx, closing := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(closing)
	p := &tab{t: t, ctx: ctx, base: base}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	p.does(chromedp.EmulateViewport(1280, 800))
	call(p, chromepage.Enable, chromepage.EnableParams{})
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	return p
}

// hear remembers what goes wrong in the tab.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.troubles = append(p.troubles, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork { // a status, which the page shows
			p.troubles = append(p.troubles, e.Entry.Text)
		}
	case *chromepage.EventJavascriptDialogOpening:
		p.troubles = append(p.troubles, "a dialog: "+e.Message)
		go func() { // not in here, where no command can be sent
			_, _ = chromedp.Call(p.ctx, chromepage.HandleJavaScriptDialog, chromepage.HandleJavaScriptDialogParams{Accept: true})
		}()
	case *network.EventRequestWillBeSent:
		if e.Type != network.ResourceTypeImage || !strings.Contains(e.DocumentURL, "/preview?") {
			p.asked = append(p.asked, e.Request.URL)
		}
	}
}

// heard gives what went wrong since it was asked last.
func (p *tab) heard() (troubles, asked []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	troubles, asked = p.troubles, p.asked
	p.troubles, p.asked = nil, nil
	return troubles, asked
}

// calm fails the test if anything went wrong in the tab.
func (p *tab) calm() {
	p.t.Helper()
	if troubles, _ := p.heard(); len(troubles) > 0 {
		p.t.Errorf("in the browser: %s", strings.Join(troubles, "\n"))
	}
}

// does runs actions, each of which has its time.
func (p *tab) does(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, a := range actions {
		ctx, cancel := context.WithTimeout(p.ctx, tabPatience)
		err := chromedp.Do(ctx, a)
		cancel()
		if err != nil {
			p.t.Fatalf("in the browser: %v", err)
		}
	}
}

// opens goes to a page of the daemon.
func (p *tab) opens(path string) {
	p.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = p.base + path
	}
	p.does(chromedp.Navigate(path))
}

// evaluate finds the value of an expression in the page; what runs while a page is left comes to nothing.
func evaluate[T any](p *tab, format string, args ...any) (answer T, err error) {
	for i, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			return answer, err
		}
		args[i] = string(text)
	}
	ctx, cancel := context.WithTimeout(p.ctx, tabPatience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
}

// value is that of an expression, now.
func value[T any](p *tab, format string, args ...any) T {
	p.t.Helper()
	answer, err := evaluate[T](p, format, args...)
	if err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
	return answer
}

// waits until an expression is true, on whatever page that is then.
func (p *tab) waits(what, format string, args ...any) {
	p.t.Helper()
	for start := time.Now(); ; time.Sleep(storetest.Pause(start)) {
		ok, err := evaluate[bool](p, format, append([]any(nil), args...)...)
		if err == nil && ok {
			return
		}
		if time.Since(start) > tabPatience || p.ctx.Err() != nil {
			text, _ := evaluate[string](p, `location.href + "\n" + document.body.innerText`)
			troubles, _ := p.heard()
			p.t.Fatalf("not %s after %v, %v, on\n%s\n%s", what, tabPatience, err, text, strings.Join(troubles, "\n"))
		}
	}
}

// sees waits until the page shows texts.
func (p *tab) sees(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.waits("shown: "+text, `document.body.innerText.replace(/\s+/g, " ").includes(%s)`, text)
	}
}

// at waits until the tab is on a page, all of it.
func (p *tab) at(path string) {
	p.t.Helper()
	p.waits("at "+path, `location.pathname === %s && document.readyState === "complete"`, path)
}

// thing finds the first button, link or field that has this name for whoever does not see it.
const thing = `(name => {
  const named = e => e.getAttribute("aria-label") || (e.labels && [...e.labels].map(l => l.textContent).join(" ")) || e.textContent;
  const all = [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(e => e.checkVisibility());
  const names = all.map(e => named(e).replace(/\s+/g, " ").trim());
  const at = [names.indexOf(name), names.findIndex(n => n.startsWith(name))].find(i => i >= 0);
  return at === undefined ? null : all[at];
})(%s)`

// clicks presses the mouse on a thing.
func (p *tab) clicks(name string) {
	p.t.Helper()
	// Chromium drops clicks before the first paint of a page.
	p.waits("there: "+name, thing+` !== null && performance.getEntriesByType("paint").length > 0`, name)
	at := value[[]float64](p, `(e => {
  e.scrollIntoView({block: "center", behavior: "instant"});
  const r = e.getClientRects()[0];
  return [r.x + r.width / 2, r.y + r.height / 2];
})(`+thing+`)`, name)
	p.does(chromedp.MouseClickXY(at[0], at[1]))
}

// follows clicks the link or button with this name and waits for the page that it loads.
func (p *tab) follows(name string) {
	p.t.Helper()
	p.leaves(func() { p.clicks(name) })
}

// leaves calls by and waits until the browser has loaded another page.
func (p *tab) leaves(by func()) {
	p.t.Helper()
	value[bool](p, `document.left = true`)
	by()
	p.waits("gone on", `!document.left && document.readyState === "complete"`)
}

// fills writes into a field, in place of what stands there.
func (p *tab) fills(label, text string) {
	p.t.Helper()
	p.waits("there: "+label, thing+` !== null`, label)
	value[bool](p, `(e => { e.focus(); if (e.select) e.select(); return document.activeElement === e; })(`+thing+`)`, label)
	p.types(text)
}

// writes presses keys once the page has a field ready for them: it gets the focus a moment after the page is whole.
func (p *tab) writes(text string) {
	p.t.Helper()
	p.waits("ready to be written in", `document.activeElement.matches("input, textarea")`)
	p.types(text)
}

// types presses keys.
func (p *tab) types(keys string) {
	p.t.Helper()
	p.does(chromedp.KeyEvent(keys))
}

// dark sets the scheme of colours that the person prefers.
func (p *tab) prefers(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// scripts says whether pages may have JavaScript.
func (p *tab) scripts(on bool) {
	p.t.Helper()
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// call sends the tab a command.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, tabPatience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
}
