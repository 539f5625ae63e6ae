// Package media stores the images of posts in a directory and serves them to anyone. An image is decoded and encoded anew, so that
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
	"os"
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
	Day   int64 // of an account in a day; 0: nobody can upload images
	Total int64
}

// Options configure Media. All fields but Registerer are required.
type Options struct {
	Dir        string
	Limits     func() Limits
	Registerer prometheus.Registerer // nil: metrics are not registered
}

// MaxBytes bounds an uploaded image.
const MaxBytes = 5 << 20

const (
	maxDecoding = 2         // images that are decoded at once
	keepUnused  = time.Hour // for the post of an upload that is under way
	path        = "/media/"
	temporary   = ".tmp"
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
		Name: "feedwire_media_bytes", Help: "Bytes on disk of the images of posts.",
	}, func() float64 { return float64(m.size(0)) })
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
	if m.size(0)+size > limits.Total {
		return f, fmt.Errorf("storing the image is %w: all images take posts.total_bytes; ask an admin to raise it", feed.ErrConflict)
	}
	if err := m.store.CountUpload(ctx, account, size, limits.Day); err != nil {
		return f, err
	}
	sum := sha256.Sum256(p.file)
	name := hex.EncodeToString(sum[:]) + "." + p.ext
	if err := m.write(account, name, p.file); err != nil {
		return f, fmt.Errorf("store an image: %w", err)
	}
	return feed.Enclosure{
		URL: m.address(account) + name, Type: mime.TypeByExtension("." + p.ext), Length: feed.Bytes(size),
		FileDetails: feed.FileDetails{Width: int64(p.width), Height: int64(p.height)},
	}, nil
}

// write stores a file, or records that it is new again.
func (m *Media) write(account int64, name string, file []byte) error {
	dir := m.dir(account)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to, now := filepath.Join(dir, name), m.web.Now()
	if os.Chtimes(to, now, now) == nil {
		return nil
	}
	if err := os.WriteFile(to+temporary, file, 0o600); err != nil {
		return err
	}
	if err := errors.Join(os.Chtimes(to+temporary, now, now), os.Rename(to+temporary, to)); err != nil {
		return err
	}
	m.size(int64(len(file)))
	return nil
}

func (m *Media) dir(account int64) string {
	return filepath.Join(m.opts.Dir, strconv.FormatInt(account, 10))
}

// address begins the URLs of the images of an account.
func (m *Media) address(account int64) string {
	return m.web.PublicURL + path + strconv.FormatInt(account, 10) + "/"
}

// size adds bytes to those of all images and returns the sum.
func (m *Media) size(more int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.read {
		m.bytes, m.read = 0, true
		_ = filepath.WalkDir(m.opts.Dir, func(_ string, d fs.DirEntry, err error) error { // what cannot be read does not count
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					m.bytes += info.Size()
				}
			}
			return nil
		})
		return m.bytes // with what was written just now
	}
	m.bytes += more
	return m.bytes
}

// recount makes size read the directory again.
func (m *Media) recount() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = false
}

// Site returns the route of images.
func (m *Media) Site() web.Site {
	return web.Site{Routes: []web.Route{{Pattern: "GET " + path + "{account}/{name}", Scope: web.Public, Serve: m.serve}}}
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
	file, err := os.Open(filepath.Join(m.opts.Dir, account, name)) //nolint:gosec // a number and a hash
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
		err = m.deleteBefore(filepath.Join(m.dir(account), name), e.Published.Add(2*time.Second))
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

func (m *Media) deleteBefore(file string, before time.Time) error {
	info, err := os.Stat(file)
	if err == nil && info.ModTime().Before(before) {
		m.recount()
		err = os.Remove(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// Erase deletes the images of an account.
func (m *Media) Erase(account int64) error {
	m.recount()
	return os.RemoveAll(m.dir(account))
}

// Sweep deletes images that no post has: of posts that were removed by another daemon, and of requests that failed.
func (m *Media) Sweep(ctx context.Context) error {
	dirs, err := os.ReadDir(m.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, d := range dirs {
		account, invalid := strconv.ParseInt(d.Name(), 10, 64)
		if err != nil || invalid != nil {
			continue
		}
		err = m.sweep(ctx, account)
	}
	m.recount()
	return err
}

func (m *Media) sweep(ctx context.Context, account int64) error {
	files, err := os.ReadDir(m.dir(account)) // before the posts: a newer file may have a newer post
	if err != nil {
		return err
	}
	used, err := m.used(ctx, account)
	for _, f := range files {
		if err == nil && !used[f.Name()] {
			err = m.deleteBefore(filepath.Join(m.dir(account), f.Name()), m.web.Now().Add(-keepUnused))
		}
	}
	return err
}
