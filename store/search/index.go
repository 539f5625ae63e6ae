package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/store/feed"
)

// layout is the version of what the index contains. An index of another one is built anew.
const layout = "2"

// Store is what the index is built from.
type Store interface {
	// Proof returns a text that only this installation can compute from a question; "" before the first connection.
	Proof(question string) string
	// FailoverEpoch increases when another server takes the place of the one that acknowledged writes.
	FailoverEpoch() uint64
	// LastSignal returns the id of the newest signal.
	LastSignal(ctx context.Context) (string, error)
	// BareSignals returns up to limit signals after an id, "" for the oldest stored, without their posts. If there are none it waits up to wait.
	BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// ListSources returns all sources, with their URLs.
	ListSources(ctx context.Context) ([]feed.Source, error)
	// SourcesByURL returns the sources with canonical URLs that exist.
	SourcesByURL(ctx context.Context, urls []string) ([]feed.Source, error)
	// EntriesPage returns up to limit entries of a source after a cursor, newest first, and the cursor of the next page.
	EntriesPage(ctx context.Context, feedURL string, after feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error)
	// ContentsByID returns entries with their content. Those that do not exist are left out.
	ContentsByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// HeadlinesByID is ContentsByID without the content.
	HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error)
	// NewestIDs returns the ids of up to limit entries of a source, newest first.
	NewestIDs(ctx context.Context, feedURL string, limit int) ([]string, error)
}

// Options configure an Index. Dir and Text are required.
type Options struct {
	Dir        string                              // of the files; nothing else is in it
	Text       func(html string, limit int) string // returns the text of HTML, of at most limit bytes
	Gather     time.Duration                       // between batches of signals, each of which becomes files that are merged; default 2 s
	Retry      time.Duration                       // after an error; default 10 s
	Logger     *slog.Logger                        // nil: discard
	Registerer prometheus.Registerer               // nil: metrics are not registered
}

// Index searches entries. Run keeps it in line with the store.
type Index struct {
	store   Store
	opts    Options
	mapping *mapping.IndexMappingImpl
	rebuilt *prometheus.CounterVec
	seconds prometheus.Histogram

	tongues sync.Map // language of each source by URL

	mu     sync.RWMutex
	index  bleve.Index // nil: it is not open
	state  state       // of index
	failed error       // see Err
}

// state is how far the index is. It is stored in it, in the same batch as the entries.
type state struct {
	Layout       string      `json:"layout"`
	Installation string      `json:"installation"`
	Signal       string      `json:"signal"`              // the last one that is in the index
	Walking      bool        `json:"walking"`             // the entries before the first signal are being read
	Source       string      `json:"source,omitempty"`    // URL of the one that is being read; those before it are in the index
	After        feed.Cursor `json:"after,omitzero"`      // of its next page
	Languages    []string    `json:"languages,omitempty"` // of the entries, in alphabetical order
}

// stateKey is the key of the state in the index.
var stateKey = []byte("feedwire")

// New returns an Index. It opens no files; Run does.
func New(store Store, opts Options) (*Index, error) {
	m, err := newMapping()
	if err != nil {
		return nil, err
	}
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	opts.Gather, opts.Retry = cmp.Or(opts.Gather, 2*time.Second), cmp.Or(opts.Retry, 10*time.Second)
	x := &Index{store: store, opts: opts, mapping: m}
	with := promauto.With(opts.Registerer)
	x.rebuilt = with.NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_search_builds_total", Help: "Times that the index of the search was begun anew, by reason.",
	}, []string{"reason"})
	for _, reason := range []string{buildNew, buildLayout, buildDamaged, buildStore, buildGap} {
		x.rebuilt.WithLabelValues(reason)
	}
	x.seconds = with.NewHistogram(prometheus.HistogramOpts{
		Name: "feedwire_search_seconds", Help: "Duration of searches.", Buckets: []float64{.005, .01, .02, .05, .1, .2, .5, 1, 2},
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	})
	with.NewGaugeFunc(prometheus.GaugeOpts{Name: "feedwire_search_entries", Help: "Entries in the index of the search."}, x.entries)
	with.NewGaugeFunc(prometheus.GaugeOpts{Name: "feedwire_search_bytes", Help: "Size of the files of the index of the search."}, x.bytes)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "feedwire_search_incomplete", Help: "1 while the index of the search lacks entries because it is being built.",
	}, func() float64 {
		if x.Incomplete() {
			return 1
		}
		return 0
	})
	return x, nil
}

// Reasons why the index is built.
const (
	buildNew     = "new"
	buildLayout  = "version"
	buildDamaged = "damaged"
	buildStore   = "store" // the store has other data than before
	buildGap     = "gap"   // signals are missing; the entries stay in the index meanwhile
)

// Incomplete reports whether the index lacks entries, because it is not open or being built.
func (x *Index) Incomplete() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.index == nil || x.state.Walking
}

func (x *Index) entries() float64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.index == nil {
		return 0
	}
	n, _ := x.index.DocCount() // 0 after an error
	return float64(n)
}

func (x *Index) bytes() (size float64) {
	_ = filepath.WalkDir(x.opts.Dir, func(_ string, d fs.DirEntry, err error) error {
		if info, infoErr := infoOf(d, err); infoErr == nil && !info.IsDir() {
			size += float64(info.Size())
		}
		return nil // files come and go
	})
	return size
}

func infoOf(d fs.DirEntry, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	return d.Info()
}

// open opens the index, and creates it if there is none that can be used.
func (x *Index) open() error {
	installation := x.store.Proof("search")
	opened, s, reason := x.openExisting(installation)
	if reason != "" {
		if err := os.RemoveAll(x.opts.Dir); err != nil {
			return err
		}
		created, err := bleve.NewUsing(x.opts.Dir, x.mapping, scorch.Name, scorch.Name, settings())
		if err != nil {
			return err
		}
		x.rebuilt.WithLabelValues(reason).Inc()
		x.opts.Logger.Info("the index of the search is being built", "reason", reason)
		opened, s = created, state{Layout: layout, Installation: installation, Walking: true}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.index, x.state = opened, s
	return nil
}

// settings are those of the files: a daemon waits a second for one that is ending.
func settings() map[string]any { return map[string]any{"bolt_timeout": "1s"} }

// openExisting opens the index in the directory, or returns why it cannot be used.
func (x *Index) openExisting(installation string) (opened bleve.Index, s state, reason string) {
	if _, err := os.Stat(x.opts.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, s, buildNew
	}
	err := intact(x.opts.Dir)
	if err == nil {
		if opened, err = bleve.OpenUsing(x.opts.Dir, settings()); err != nil {
			opened = nil // it is a nil pointer of another type
		}
	}
	if err == nil {
		var text []byte
		if text, err = opened.GetInternal(stateKey); err == nil && text != nil {
			err = json.Unmarshal(text, &s)
		}
	}
	switch {
	case err != nil:
		x.opts.Logger.Warn("the index of the search is damaged", "err", err)
		reason = buildDamaged
	case s.Layout == "": // the daemon ended before the first batch
		reason = buildNew
	case s.Layout != layout:
		reason = buildLayout
	case s.Installation != installation:
		reason = buildStore
	default:
		return opened, s, ""
	}
	if opened != nil {
		_ = opened.Close() // it is going to be removed
	}
	return nil, s, reason
}

// close closes the index. Searches that are under way end before.
func (x *Index) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index == nil {
		return nil
	}
	err := x.index.Close()
	x.index = nil
	return err
}

// write stores a batch with the state that it leads to.
func (x *Index) write(b *bleve.Batch, s state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	b.SetInternal(stateKey, text)
	if err := x.index.Batch(b); err != nil { // only the goroutine of Run changes index
		return fmt.Errorf("write the index: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = s
	return nil
}
