package web

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/copies"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of the copies of responses.
const (
	maxCopies   = 10_000
	maxCopySize = 64 << 20 // bytes of all
	copyLife    = 15 * time.Minute
)

// pageCopies are the last good responses of routes that are Copied.
type pageCopies = copies.Cache[copyKey, pageCopy]

type copyKey struct {
	account int64
	address string // path and query
}

type pageCopy struct {
	status      int
	contentType string
	body        []byte
}

func newCopies(now func() time.Time) *pageCopies {
	return copies.New[copyKey](copies.Options{Entries: maxCopies, Bytes: maxCopySize, Age: copyLife, Now: now}, func(c pageCopy) int { return len(c.body) + 512 })
}

// DropCopies drops the copies of responses to an account, because what they show has changed.
func (k *Kit) DropCopies(account int64) {
	k.copies.Drop(func(key copyKey) bool { return key.account == account })
}

// DropAllCopies drops the copies of all responses, because an entry or an account was removed.
func (k *Kit) DropAllCopies() { k.copies.Clear() }

// errNotCopied marks a response that is sent but not copied.
var errNotCopied = errors.New("the response is not copied")

// copied serves the last response to the account while the store is unavailable. The response says how old it is.
func (k *Kit) copied(api bool, serve Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		account := VisitorOf(r).Account.ID
		if account == 0 || r.URL.Query().Has("user") { // the response shows another account
			return serve(w, r)
		}
		c, at, err := k.copies.Read(copyKey{account, r.URL.RequestURI()}, func() (c pageCopy, err error) {
			rec := newRecorder(w)
			if err = serve(rec, r); err == nil && rec.status != http.StatusOK {
				err = errNotCopied
			}
			return pageCopy{rec.status, w.Header().Get("Content-Type"), compact(rec.body.Bytes())}, err
		})
		if err != nil && !errors.Is(err, errNotCopied) {
			return err
		}
		if !at.IsZero() {
			k.stale.Inc()
			w.Header().Set("Age", strconv.Itoa(int(k.Now().Sub(at).Seconds())))
			feed.MarkStale(w.Header())
		}
		if api {
			c.send(w, r)
			return nil
		}
		if !at.IsZero() {
			c.body = k.markStale(c.body, at)
		}
		k.compress(http.HandlerFunc(c.send)).ServeHTTP(w, r)
		return nil
	}
}

// compact copies a body if a tenth or more of its memory is unused.
func compact(body []byte) []byte {
	if cap(body)-len(body) < len(body)/10 {
		return body
	}
	return bytes.Clone(body)
}

func (c pageCopy) send(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", c.contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(c.status)
	if rec, ok := w.(*recorder); ok {
		rec.adopt(c.body)
		return
	}
	_, _ = w.Write(c.body) // the client may be gone
}

// markStale returns a page with a message that says when it was read.
func (k *Kit) markStale(page []byte, at time.Time) []byte {
	const start = `<main id="main">`
	message := bytes.NewBufferString(start)
	if err := k.errors.templates().ExecuteTemplate(message, "stale", Ago(at, k.Now())); err != nil {
		k.Logger.Error("stale page not marked", "err", err)
		return page
	}
	return bytes.Replace(page, []byte(start), message.Bytes(), 1)
}
