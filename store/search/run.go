package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	batchSize = 200         // signals that are read together, and entries of the walk in a batch
	pageSize  = 50          // entries that are read together: each can have megabytes
	overlap   = time.Minute // of signals that are read again after a failover
	restShare = 4           // after a batch the index rests this many times as long as it took, so that others have the processor
	newestMax = 1000        // entries without signals of their own that are read
)

// Run builds the index and follows the signals until ctx ends, and returns nil. While the store or the files do not answer it retries. Call it once.
func (x *Index) Run(ctx context.Context) error {
	for {
		err := x.guarded(func() error { return x.keep(ctx) })
		if ctx.Err() != nil {
			return x.close()
		}
		if !errors.Is(err, feed.ErrUnavailable) { // the files may be damaged
			err = errors.Join(err, x.close())
		}
		if x.setErr(err) == nil {
			x.opts.Logger.Warn("the index of the search is not up to date; retrying", "err", err)
		}
		select {
		case <-time.After(x.opts.Retry):
		case <-ctx.Done():
		}
	}
}

// Err returns why the index is not up to date; nil: it is, or will be within seconds, or it is being built.
func (x *Index) Err() error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.failed
}

// setErr sets what Err returns, and returns what it returned before.
func (x *Index) setErr(err error) (before error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	before, x.failed = x.failed, err
	return before
}

// guarded turns a panic into an error. Reading a file that someone truncates is one.
func (x *Index) guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// keep opens the index and keeps it in line with the store until ctx ends or something fails.
func (x *Index) keep(ctx context.Context) error {
	if x.index == nil {
		if err := x.open(); err != nil {
			return err
		}
	}
	if err := x.start(ctx); err != nil {
		return err
	}
	if x.setErr(nil) != nil {
		x.opts.Logger.Info("the index of the search is being kept up to date again")
	}
	epoch := x.store.FailoverEpoch()
	var walk []feed.Source
	for ctx.Err() == nil {
		if now := x.store.FailoverEpoch(); now != epoch {
			epoch = now
			x.rewind(overlap)
		}
		began := time.Now()
		wait := x.opts.Gather
		if x.state.Walking {
			wait = 0
		}
		signals, err := x.store.BareSignals(ctx, x.state.Signal, batchSize, wait)
		switch {
		case err != nil:
			return err
		case len(signals) > 0:
			if err := x.apply(ctx, signals); err != nil {
				return err
			}
			if wait = restShare * time.Since(began); len(signals) < batchSize && !x.state.Walking {
				wait = max(wait, x.opts.Gather)
			}
		case x.state.Walking:
			if walk, err = x.walk(ctx, walk); err != nil {
				return err
			}
			wait = restShare * time.Since(began)
		default:
			continue
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return nil
}

// start decides whether all entries have to be read: the index is new, the store has other data, or signals are missing.
func (x *Index) start(ctx context.Context) error {
	last, err := x.store.LastSignal(ctx)
	if err != nil {
		return err
	}
	oldest, err := x.store.BareSignals(ctx, "", 1, 0)
	if err != nil {
		return err
	}
	s, gap := x.state, false
	switch {
	case s.Signal == "": // new
	case feed.SignalLess(last, s.Signal):
		gap = true
	case s.Signal != last && (len(oldest) == 0 || feed.SignalLess(s.Signal, oldest[0].ID)):
		gap = true
	default:
		return nil
	}
	if gap {
		x.rebuilt.WithLabelValues(buildGap).Inc()
		x.opts.Logger.Info("the index of the search is being completed, because signals are missing")
	}
	s.Signal, s.Walking, s.Source, s.After = last, true, "", feed.Cursor{}
	return x.write(x.index.NewBatch(), s)
}

// rewind makes the index read the signals of the last time again.
func (x *Index) rewind(d time.Duration) {
	text, _, _ := strings.Cut(x.state.Signal, "-")
	ms, _ := strconv.ParseInt(text, 10, 64) // the store returns valid ids
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Signal = fmt.Sprintf("%d-0", max(0, ms-d.Milliseconds()))
}

// walk adds the next page of entries of the sources, which it reads first if there are none, and returns those that remain.
func (x *Index) walk(ctx context.Context, sources []feed.Source) ([]feed.Source, error) {
	s := x.state
	if sources == nil {
		all, err := x.store.ListSources(ctx)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(all, func(a, b feed.Source) int { return strings.Compare(a.URL, b.URL) })
		sources = slices.DeleteFunc(all, func(one feed.Source) bool { return one.URL < s.Source })
	}
	b := x.index.NewBatch()
	for len(sources) > 0 {
		source := &sources[0]
		if source.URL != s.Source {
			s.Source, s.After = source.URL, feed.Cursor{}
		}
		entries, next, err := x.store.EntriesPage(ctx, source.URL, s.After, pageSize)
		if err != nil {
			return sources, err
		}
		if err := x.learn(ctx, source.URL); err != nil {
			return sources, err
		}
		for i := range entries {
			if err := x.add(b, &s, &entries[i]); err != nil {
				return sources, err
			}
		}
		if s.After = next; next.IsZero() {
			sources = sources[1:]
		}
		if b.Size() >= batchSize || ctx.Err() != nil {
			break
		}
	}
	if len(sources) == 0 {
		s.Walking, s.Source, s.After = false, "", feed.Cursor{}
		x.opts.Logger.Info("the index of the search has all entries")
	}
	return sources, x.write(b, s)
}

// apply brings the index in line with the entries of signals.
func (x *Index) apply(ctx context.Context, signals []feed.Signal) error {
	changed := make(map[string]bool, len(signals)) // by id
	for i := range signals {
		one := &signals[i]
		switch {
		case one.Entry != "":
			changed[one.Entry] = true
		case one.Kind == feed.FeedModified:
			x.tongues.Delete(one.FeedURL)
			if n := one.Unsignalled.Created + one.Unsignalled.Modified; n > 0 {
				ids, err := x.store.NewestIDs(ctx, one.FeedURL, min(n, newestMax))
				if err != nil {
					return err
				}
				for _, id := range ids {
					changed[id] = true
				}
			}
		}
	}
	s, b := x.state, x.index.NewBatch()
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(changed)), pageSize) {
		found, err := x.load(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			e, exists := found[id]
			if !exists {
				b.Delete(number(id))
			} else if err := x.add(b, &s, &e); err != nil {
				return err
			}
		}
	}
	s.Signal = signals[len(signals)-1].ID
	return x.write(b, s)
}

// add adds an entry to a batch, and its language to the state.
func (x *Index) add(b *bleve.Batch, s *state, e *feed.Entry) error {
	d := x.documentOf(e)
	if i, known := slices.BinarySearch(s.Languages, d.language); !known {
		s.Languages = slices.Insert(slices.Clone(s.Languages), i, d.language)
	}
	return b.Index(e.Number(), d)
}
