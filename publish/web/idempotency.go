package web

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
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxKey        = 128       // bytes of an Idempotency-Key
	maxKept       = 256 << 10 // bytes of a stored response
	settleTimeout = 5 * time.Second
)

// These answer the repetition of a request whose response is not stored.
var (
	errSecretNotKept = errors.New("this request was carried out before, and its response held a secret and is not stored; " +
		"find what it created in the list, and revoke or reset it if the response is lost")
	errLargeNotKept = fmt.Errorf("this request was carried out before, and its response had more than %d KiB and is not stored; "+
		"read what it changed, or repeat it with a new Idempotency-Key", maxKept>>10)
)

// IdempotencyKey returns the Idempotency-Key of a request, or "".
func IdempotencyKey(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	if len(key) > maxKey {
		return "", feed.Invalid("Idempotency-Key", fmt.Sprintf("it has %d bytes, at most %d are allowed", len(key), maxKey))
	}
	return key, nil
}

type onceKey struct{}

// OnceID returns an id of a POST with an Idempotency-Key that is the same for its repetitions, or "". A daemon that was killed may have
// carried the request out without storing the response, so handlers derive the names of new objects from it.
func OnceID(r *http.Request) string {
	id, _ := r.Context().Value(onceKey{}).(string)
	return id
}

// once carries out a POST with an Idempotency-Key once. A repetition within a day gets the first response.
func (k *Kit) once(route *Route, h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		key, err := IdempotencyKey(r)
		if err != nil {
			return err
		}
		if key == "" || r.Method != http.MethodPost {
			return h(w, r)
		}
		sum, err := requestSum(route, r)
		if err != nil {
			return err
		}
		v := VisitorOf(r)
		id, token := Hash(v.Name+"\n"+v.Creator+"\n"+key), rand.Text() // tokens of different creators may have the same name
		first, known, err := k.store.ClaimResponse(r.Context(), v.Account.ID, id, sum, token)
		switch {
		case errors.Is(err, feed.ErrKeyReused):
			return fmt.Errorf("this Idempotency-Key was sent with another path or body before; use a new one: %w", err)
		case errors.Is(err, feed.ErrUnderWay):
			return fmt.Errorf("the first request with this Idempotency-Key is not finished; retry in a moment: %w", err)
		case err != nil:
			return err
		case known:
			return replay(w, &first, route.Action)
		}
		rec := newRecorder(w)
		err = h(rec, r.WithContext(context.WithValue(r.Context(), onceKey{}, Hash(id+sum))))
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), settleTimeout)
		defer cancel()
		if err != nil {
			k.warnNotKept(k.store.DropResponse(ctx, id, token))
			return err
		}
		kept := feed.StoredResponse{
			Status: rec.status, Type: w.Header().Get("Content-Type"), Location: w.Header().Get("Location"), Body: rec.body.Bytes(),
		}
		if route.Action.Secret || len(kept.Body) > maxKept {
			kept.Body, kept.BodyOmitted = nil, true
		}
		k.warnNotKept(k.store.StoreResponse(ctx, id, token, &kept))
		rec.send()
		return nil
	}
}

func (k *Kit) warnNotKept(err error) {
	if err != nil {
		k.Logger.Warn("response not stored; a repetition of the request is carried out again or must wait", "err", err)
	}
}

// replay sends the stored response of an action.
func replay(w http.ResponseWriter, a *feed.StoredResponse, action *Action) error {
	switch {
	case a.BodyOmitted && action.Secret:
		return errSecretNotKept
	case a.BodyOmitted:
		return errLargeNotKept
	}
	for name, value := range map[string]string{"Content-Type": a.Type, "Location": a.Location} {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) //nolint:gosec // our own JSON; the client may be gone
	return nil
}

// requestSum identifies the content of a request. The body can be read again. A body that is not in memory as a whole is identified by its
// length.
func requestSum(route *Route, r *http.Request) (string, error) {
	if route.streams(r) {
		return Hash(fmt.Sprintf("%s %s\n%d", r.Method, r.URL.RequestURI(), r.ContentLength)), nil
	}
	body, err := ReadBody(r)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return Hash(fmt.Sprintf("%s %s\n%s", r.Method, r.URL.RequestURI(), body)), nil
}

// Hash returns 32 hex digits that identify a text.
func Hash[Text string | []byte](s Text) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// recorder buffers a response.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// adopt makes a body, which must not change, the whole response.
func (r *recorder) adopt(body []byte) { r.body = *bytes.NewBuffer(slices.Clip(body)) }

func newRecorder(w http.ResponseWriter) *recorder {
	return &recorder{ResponseWriter: w, status: http.StatusOK}
}

func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) send() {
	r.ResponseWriter.WriteHeader(r.status)
	_, _ = r.ResponseWriter.Write(r.body.Bytes()) // the client may be gone
}
