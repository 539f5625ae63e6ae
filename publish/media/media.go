// Package media stores the images of posts in a directory, or in a bucket of an S3-compatible store, and serves them to anyone. An image is decoded and encoded anew, so that
// neither its metadata nor anything hidden in it is published, and has an address with the hash of its content.
package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what media need. Methods return feed.ErrUnavailable if the store cannot answer now.
type Store interface {
	// CountUpload counts bytes that a user stores. *feed.QuotaError: there were too many in a day.
	CountUpload(ctx context.Context, user int64, bytes, most int64) error
	// Posts returns up to limit posts of a user after a cursor, newest first and without content.
	Posts(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error)
}

// Limits bound what is stored, in bytes.
type Limits struct {
	Day   int64 // of an account in a day; 0: uploads are disabled
	Total int64
}

// Options configure Media. All fields but Registerer are required.
type Options struct {
	Files      Files
	Limits     func() Limits
	Registerer prometheus.Registerer // nil: metrics are not registered
}

// MaxBytes bounds an uploaded image.
const MaxBytes = 5 << 20

const (
	maxDecoding = 2         // images that are decoded at once
	keepUnused  = time.Hour // for the post of an upload that is under way

	countTimeout = 5 * time.Second // of a metric
	mount        = "/media/"
)

// Media stores and serves images. It is safe for concurrent use. Create it with New.
type Media struct {
	store    Store
	web      *web.Kit
	opts     Options
	decoding chan struct{} // holds a token for each image that is decoded

	mu    sync.Mutex
	bytes int64 // of all images
	read  bool  // bytes has those that were there before
}

// New returns Media.
func New(store Store, kit *web.Kit, opts Options) *Media {
	m := &Media{store: store, web: kit, opts: opts, decoding: make(chan struct{}, maxDecoding)}
	promauto.With(opts.Registerer).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_media_bytes", Help: "Bytes of the images of posts.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
		defer cancel()
		size, _ := m.size(ctx) // what is known
		return float64(size)
	})
	return m
}

// Save stores an image of an account and returns it as a file of a post. feed.ErrUnusable: it is no image that can be stored.
// *feed.QuotaError: the account has stored too much in a day. feed.ErrConflict: all images together take too much.
func (m *Media) Save(ctx context.Context, account int64, upload []byte) (f feed.Enclosure, err error) {
	limits := m.opts.Limits()
	if limits.Day == 0 {
		return f, fmt.Errorf("uploads are %w: posts.day_bytes of the configuration is 0; send URLs of images", feed.ErrForbidden)
	}
	select {
	case m.decoding <- struct{}{}:
		defer func() { <-m.decoding }()
	case <-ctx.Done():
		return f, ctx.Err()
	}
	p, err := recode(upload)
	if err != nil {
		return f, err
	}
	size := int64(len(p.file))
	stored, err := m.size(ctx)
	if err != nil {
		return f, fmt.Errorf("count the bytes of images: %w", err)
	}
	if stored+size > limits.Total {
		return f, fmt.Errorf("storing the image is %w: all images take posts.total_bytes; ask an admin to raise it", feed.ErrConflict)
	}
	if err := m.store.CountUpload(ctx, account, size, limits.Day); err != nil {
		return f, err
	}
	sum := sha256.Sum256(p.file)
	name := hex.EncodeToString(sum[:]) + "." + p.ext
	isNew, err := m.opts.Files.Put(ctx, nameIn(account, name), p.file, m.web.Now())
	if err != nil {
		return f, fmt.Errorf("store an image: %w", err)
	}
	if isNew {
		m.add(size)
	}
	return feed.Enclosure{
		URL: m.address(account) + name, Type: mime.TypeByExtension("." + p.ext), Length: feed.Bytes(size),
		FileDetails: feed.FileDetails{Width: int64(p.width), Height: int64(p.height)},
	}, nil
}

// nameIn returns the name of an image of an account in Files.
func nameIn(account int64, name string) string { return strconv.FormatInt(account, 10) + "/" + name }

// address begins the URLs of the images of an account.
func (m *Media) address(account int64) string {
	return m.web.PublicURL + mount + strconv.FormatInt(account, 10) + "/"
}

// size returns the bytes of all images.
func (m *Media) size(ctx context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read {
		return m.bytes, nil
	}
	all, err := m.opts.Files.List(ctx, "")
	if err != nil {
		return m.bytes, err
	}
	m.bytes, m.read = 0, true
	for _, f := range all {
		m.bytes += f.Size
	}
	return m.bytes, nil
}

// add adds the bytes of a new image.
func (m *Media) add(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += bytes
}

// recount makes size list the images again.
func (m *Media) recount() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = false
}

// Site returns the route of images.
func (m *Media) Site() web.Site {
	return web.Site{Routes: []web.Route{{Pattern: "GET " + mount + "{account}/{name}", Scope: web.Public, Serve: m.serve}}}
}

var (
	fileName      = regexp.MustCompile(`^[0-9a-f]{64}\.(jpg|png|gif)$`)
	accountNumber = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)
)

func (m *Media) serve(w http.ResponseWriter, r *http.Request) error {
	account, name := r.PathValue("account"), r.PathValue("name")
	if !accountNumber.MatchString(account) || !fileName.MatchString(name) {
		return fmt.Errorf("image %w", feed.ErrNotFound)
	}
	file, err := m.opts.Files.Open(r.Context(), account+"/"+name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("image %w", feed.ErrNotFound)
	}
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was read
	h := w.Header()
	h.Set("Content-Type", mime.TypeByExtension(filepath.Ext(name)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+name[:32]+`"`)
	http.ServeContent(w, r, "", time.Time{}, file)
	return nil
}

// Removed deletes the images of a post that was taken down, unless other posts of its author have them.
func (m *Media) Removed(ctx context.Context, e *feed.Entry) error {
	account := feed.MemberOf(e.FeedURL)
	if account == 0 {
		return nil
	}
	used, err := m.used(ctx, account)
	for _, f := range e.Enclosures() {
		name, ok := strings.CutPrefix(f.URL, m.address(account))
		if err != nil || !ok || !fileName.MatchString(name) || used[name] {
			continue
		}
		// An upload of the same image after the post is for another one.
		err = m.deleteBefore(ctx, nameIn(account, name), e.Published.Add(2*time.Second))
	}
	return err
}

// used returns the names of the images that the posts of an account have.
func (m *Media) used(ctx context.Context, account int64) (map[string]bool, error) {
	names := make(map[string]bool)
	for after := (feed.Cursor{}); ; {
		found, err := m.store.Posts(ctx, account, after, web.MaxLimit)
		if err != nil {
			return nil, err
		}
		for i := range found.Entries {
			for _, f := range found.Entries[i].Enclosures() {
				names[strings.TrimPrefix(f.URL, m.address(account))] = true
			}
		}
		if after = found.Next; after.IsZero() {
			return names, nil
		}
	}
}

// deleteBefore deletes an image that was stored before a time.
func (m *Media) deleteBefore(ctx context.Context, name string, before time.Time) error {
	stored, err := m.opts.Files.Stored(ctx, name)
	if err == nil && stored.Before(before) {
		m.recount()
		err = m.opts.Files.Delete(ctx, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// Check returns nil if images can be listed.
func (m *Media) Check(ctx context.Context) error {
	_, err := m.opts.Files.List(ctx, nameIn(0, "")) // no account has this number
	return err
}

// Erase deletes the images of an account.
func (m *Media) Erase(ctx context.Context, account int64) error {
	m.recount()
	all, err := m.opts.Files.List(ctx, nameIn(account, ""))
	for _, f := range all {
		if err == nil {
			err = m.opts.Files.Delete(ctx, f.Name)
		}
	}
	return err
}

// Sweep deletes images that no post has: of posts that were removed by another daemon, and of requests that failed.
func (m *Media) Sweep(ctx context.Context) error {
	all, err := m.opts.Files.List(ctx, "") // before the posts: a newer file may have a newer post
	if err != nil {
		return err
	}
	used := make(map[int64]map[string]bool) // by account
	for _, f := range all {
		owner, name, _ := strings.Cut(f.Name, "/")
		account, invalid := strconv.ParseInt(owner, 10, 64)
		if invalid != nil {
			continue
		}
		if used[account] == nil {
			if used[account], err = m.used(ctx, account); err != nil {
				return err
			}
		}
		if !used[account][name] {
			if err := m.deleteBefore(ctx, f.Name, m.web.Now().Add(-keepUnused)); err != nil {
				return err
			}
		}
	}
	m.recount()
	return nil
}
