package desk

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxKey        = 128             // bytes of an Idempotency-Key
	maxKept       = 256 << 10       // bytes of an answer that is kept for a repetition
	settleTimeout = 5 * time.Second // for keeping it
)

// tellsOnce reports whether the answer to an action holds a secret, which is kept nowhere.
func (a action) tellsOnce() bool {
	return a == tokenCreate || a == userAdd || a == userReset || a == webhookAdd
}

// once serves what people do. A POST with an Idempotency-Key is carried out once: who repeats it within a day gets the
// answer of the first one.
func (d *Desk) once(a action, h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		key := r.Header.Get("Idempotency-Key")
		if key == "" || r.Method != http.MethodPost {
			return h(w, r)
		}
		if len(key) > maxKey {
			return wrong("Idempotency-Key", fmt.Sprintf("it has %d bytes, at most %d are allowed", len(key), maxKey))
		}
		sum, err := asked(w, r, a)
		if err != nil {
			return err
		}
		id, token := hashText(visitorOf(r).name+"\n"+key), rand.Text()
		before, known, err := d.store.ClaimAnswer(r.Context(), id, sum, token)
		switch {
		case errors.Is(err, feed.ErrKeyReused):
			return fmt.Errorf("this Idempotency-Key was sent with another path or body before; use a new one: %w", err)
		case errors.Is(err, feed.ErrUnderWay):
			return fmt.Errorf("the first request with this Idempotency-Key was not answered yet; ask again in a moment: %w", err)
		case err != nil:
			return err
		case known:
			return again(w, &before)
		}
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		err = h(rec, r)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), settleTimeout)
		defer cancel()
		if err != nil {
			d.notKept(d.store.DropAnswer(ctx, id, token))
			return err
		}
		kept := feed.Answer{
			Status: rec.status, Type: w.Header().Get("Content-Type"), Location: w.Header().Get("Location"), Body: rec.body.Bytes(),
		}
		if a.tellsOnce() || len(kept.Body) > maxKept {
			kept.Body, kept.Told = nil, true
		}
		d.notKept(d.store.KeepAnswer(ctx, id, token, &kept))
		rec.send()
		return nil
	}
}

// notKept tells an operator that a repetition of a request may be carried out, or has to wait.
func (d *Desk) notKept(err error) {
	if err != nil {
		d.opts.Logger.Warn("answer not kept for a repetition of its request", "err", err)
	}
}

// again answers what was answered before.
func again(w http.ResponseWriter, a *feed.Answer) error {
	if a.Told {
		return errAnsweredOnce
	}
	for name, value := range map[string]string{"Content-Type": a.Type, "Location": a.Location} {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) //nolint:gosec // what this daemon has answered, as JSON; the client may be gone
	return nil
}

// asked tells apart what a request asks for. Its body can still be read.
func asked(w http.ResponseWriter, r *http.Request, a action) (string, error) {
	most := int64(maxBody)
	if a == sourceImport {
		most = maxOPML
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return hashText(fmt.Sprintf("%s %s\n%s", r.Method, r.URL.RequestURI(), body)), nil
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// recorder holds an answer back.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// send sends the answer.
func (r *recorder) send() {
	r.ResponseWriter.WriteHeader(r.status)
	_, _ = r.ResponseWriter.Write(r.body.Bytes()) // the client may be gone
}
