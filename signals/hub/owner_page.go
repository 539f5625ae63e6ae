package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

//go:embed templates/owner.html
var ownerText string

// ownerStyle is in the page, so that the page loads nothing.
const ownerStyle = `:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
main{max-width:60rem;margin:auto;padding:0 1rem}
h2{overflow-wrap:anywhere}
table{border-collapse:collapse;display:block;overflow-x:auto}
caption,th,td{text-align:left;padding:.2rem .8rem .2rem 0}
input[type=url],input[type=password]{width:100%;max-width:40rem;box-sizing:border-box}
input,button{font:inherit;padding:.3rem .6rem}
pre{overflow-x:auto}`

// ownerView is the data of the page on which the owner of a callback sees its subscriptions.
type ownerView struct {
	Style            template.CSS
	About            string
	Callback, Secret string // of the request; the page is not stored
	Message          string
	Failed           bool
	Items            []OwnSubscription
}

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
	view.Style, view.About = ownerStyle, f.about()
	var page bytes.Buffer
	if err := f.page.Execute(&page, view); err != nil {
		f.opts.Logger.Error("page of the hub not written", "err", err)
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256([]byte(ownerStyle))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails only if the client disconnected
}
