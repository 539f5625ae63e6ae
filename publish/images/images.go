// Package images serves the images of sources to readers, so that sources learn nothing about who reads them. Addresses are signed: only
// images of entries are fetched, through the guarded client, with a bound for bytes, pixels and types, and kept on disk for a week.
package images

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // for DecodeConfig
	_ "image/jpeg" // for DecodeConfig
	_ "image/png"  // for DecodeConfig
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	_ "golang.org/x/image/webp" // for DecodeConfig
	"golang.org/x/sync/singleflight"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of an image and of the work for all of them.
const (
	MaxBytes  = 5 << 20
	maxPixels = 40_000_000
	maxWait   = 10 * time.Second // until the fetch of an image begins
	firstByte = 5 * time.Second  // until the first byte of an image arrives
	timeout   = 15 * time.Second // of a fetch
	keepFor   = 7 * 24 * time.Hour
	failedFor = 10 * time.Minute // an image that could not be fetched is not tried again
)

// types are the media types that browsers show and that have no scripts.
var types = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// Options configure Images.
type Options struct {
	Dir        string                   // of the cache
	Sign       func(text string) string // "" while it cannot sign
	Now        func() time.Time
	Registerer prometheus.Registerer // nil: metrics are not registered
}

// Limits are the options that a reload changes.
type Limits struct {
	Fetch fetch.Options
	Cache int64 // bytes on disk; 0: pages show no images
}

// Images serves images. It is safe for concurrent use. Create it with New.
type Images struct {
	opts    Options
	limits  atomic.Pointer[Limits]
	client  *fetch.Client
	cache   *cache
	flights singleflight.Group
	gate    *gate
	metrics *metrics
}

// New returns Images.
func New(opts Options, limits Limits) *Images {
	i := &Images{opts: opts, client: fetch.New(limits.fetchOptions(), maxActive), gate: newGate()}
	i.limits.Store(&limits)
	i.cache = newCache(opts.Dir, func() int64 { return i.limits.Load().Cache })
	i.metrics = newMetrics(opts.Registerer, i.cache.size)
	return i
}

// Reload replaces the limits.
func (i *Images) Reload(limits Limits) {
	i.limits.Store(&limits)
	i.client.Reload(limits.fetchOptions())
}

func (l Limits) fetchOptions() fetch.Options {
	l.Fetch.MaxBytes, l.Fetch.Timeout = MaxBytes, timeout
	return l.Fetch
}

const path = "/read/images/"

// URL returns the address of an image of a source on this site; "" if images are not shown.
func (i *Images) URL(source string) string {
	if i.limits.Load().Cache == 0 {
		return ""
	}
	signature := i.signature(source)
	if signature == "" {
		return ""
	}
	return path + signature + "?url=" + url.QueryEscape(source)
}

// signature returns the signature of the address of an image.
func (i *Images) signature(source string) string {
	// The prefix makes it longer than the questions that the proof of the installation answers to everyone.
	return web.Cut(i.opts.Sign("image for readers "+nameOf(source)), 32)
}

// nameOf returns the name of an image in the cache.
func nameOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:])
}

// Site returns the route of images.
func (i *Images) Site() web.Site {
	return web.Site{Routes: []web.Route{{Pattern: "GET " + path + "{signature}", Scope: feed.ScopeFollows, Serve: i.serve}}}
}

func (i *Images) serve(w http.ResponseWriter, r *http.Request) error {
	source := r.URL.Query().Get("url")
	expected := i.signature(source)
	if expected == "" || !hmac.Equal([]byte(expected), []byte(r.PathValue("signature"))) {
		i.metrics.count(refused)
		return fmt.Errorf("image %w", feed.ErrNotFound)
	}
	return i.Serve(w, r, source)
}

// Serve serves an image of another site that no visitor has chosen. Visitors without an account count as one reader.
func (i *Images) Serve(w http.ResponseWriter, r *http.Request, source string) error {
	if i.limits.Load().Cache == 0 {
		return fmt.Errorf("image %w", feed.ErrNotFound)
	}
	file, err := i.image(r, source)
	switch {
	case errors.Is(err, errBusy):
		document.Unavailable(w, "Too many images of this host are being fetched.")
		return nil
	case err != nil:
		w.Header().Set("Cache-Control", "private, max-age=600")
		http.Error(w, err.Error(), http.StatusBadGateway)
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", http.DetectContentType(file))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, max-age=604800")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	return nil
}

var (
	errImage = errors.New("the image cannot be shown")
	errBusy  = errors.New("the fetch of the image did not begin in time")
)

// image returns an image from the cache or from its source. The error is errImage or errBusy.
func (i *Images) image(r *http.Request, source string) ([]byte, error) {
	name, outcome := nameOf(source), cached
	file, ok := i.cache.get(name, i.opts.Now())
	if !ok {
		ctx, cancel := context.WithTimeout(r.Context(), maxWait)
		defer cancel()
		leave, err := i.gate.enter(ctx, feed.Host(source), web.VisitorOf(r).Account.ID)
		if err != nil {
			i.metrics.count(busy)
			return nil, errBusy
		}
		defer leave()
		result, _, _ := i.flights.Do(name, func() (any, error) {
			return i.fetchOnce(context.WithoutCancel(ctx), name, source), nil // others wait for it
		})
		file, outcome = result.([]byte), fetched
	}
	if len(file) == 0 {
		i.metrics.count(failed)
		return nil, errImage
	}
	i.metrics.count(outcome)
	return file, nil
}

// fetchOnce fetches and stores an image, unless another request has stored it. The image is empty if it cannot be shown.
func (i *Images) fetchOnce(ctx context.Context, name, source string) []byte {
	now := i.opts.Now()
	if file, ok := i.cache.get(name, now); ok {
		return file
	}
	file, err := i.fetch(ctx, source)
	if err != nil {
		file = nil
	}
	i.cache.put(name, file, now)
	return file
}

// fetch returns an image of a source within the bounds.
func (i *Images) fetch(ctx context.Context, source string) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := time.AfterFunc(firstByte, cancel)
	defer silent.Stop()
	// AVIF and SVG are not accepted: nothing here measures the one, and the other has scripts.
	request := feed.Request{Headers: map[string]string{"Accept": "image/webp, image/png, image/jpeg, image/gif"}}
	got, err := i.client.Get(ctx, &feed.Source{URL: source, Request: request}, fetch.Request{
		URL: source, Full: true, Received: func(int) { silent.Stop() },
	})
	if err != nil {
		return nil, err
	}
	return got.Body, check(got.Body)
}

// check returns an error if a file is no image of a known type, or has too many pixels.
func check(file []byte) error {
	if !slices.Contains(types, http.DetectContentType(file)) {
		return errors.New("no image of a known type")
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err == nil && int64(size.Width)*int64(size.Height) > maxPixels {
		err = fmt.Errorf("%d × %d pixels", size.Width, size.Height)
	}
	return err
}
