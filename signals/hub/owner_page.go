package hub

import (
	"bytes"
	"context"
	_ "embed" // of the page
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed templates/owner.html
var ownerText string

// ownerView is the data of the page on which the owner of a callback sees its subscriptions.
type ownerView struct {
	Stylesheet       string
	About            string
	Callback, Secret string // of the request; the page is not stored
	Message          string
	Failed           bool
	Items            []OwnSubscription
}

// Time returns a time for a person.
func (ownerView) Time(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }

// Duration returns the duration of an attempt.
func (ownerView) Duration(a feed.Attempt) string { return time.Duration(a.Duration).String() }

// wantsPage reports whether a request is that of a browser.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// serveOwner does what the owner of a callback requests on the page, and responds with the page. An error is shown there and returned
// for the metrics.
func (f *Front) serveOwner(ctx context.Context, w http.ResponseWriter, r *http.Request, mode feed.HubMode, form url.Values) error {
	view := ownerView{Callback: form.Get("hub.callback"), Secret: form.Get("hub.secret")}
	err := f.doForOwner(ctx, r, mode, form, &view)
	status := http.StatusOK
	if err != nil {
		shown := *f.rejectionFor(mode, err)
		view.Message, view.Failed, status, shown.shown = shown.reason, true, shown.status, true
		shown.setRetryAfter(w.Header())
		err = &shown
	}
	f.writePage(w, status, &view)
	return err
}

// doForOwner carries out a request of an owner and fills the view.
func (f *Front) doForOwner(ctx context.Context, r *http.Request, mode feed.HubMode, form url.Values, view *ownerView) (err error) {
	switch mode {
	case websub.Replay:
		if err = f.doReplay(ctx, r, form); err == nil {
			view.Message = "The last delivery is sent again."
		}
	case websub.Test:
		var got OwnTest
		switch got, err = f.doTest(ctx, r, form); {
		case err != nil:
		case got.Accepted:
			view.Message = fmt.Sprintf("The callback accepted the test with %d.", got.Status)
		default:
			view.Message, view.Failed = fmt.Sprintf("The callback did not accept the test: %s %s", got.Reason, http.StatusText(got.Status)), true
		}
	}
	if err == nil {
		view.Items, err = f.ownSubscriptions(ctx, r, form)
	}
	return err
}

func (f *Front) writePage(w http.ResponseWriter, status int, view *ownerView) {
	view.Stylesheet, view.About = f.opts.Stylesheet, f.about()
	var page bytes.Buffer
	if err := f.page.Execute(&page, view); err != nil {
		f.opts.Logger.Error("page of the hub not written", "err", err)
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails only if the client disconnected
}
