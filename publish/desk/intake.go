package desk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// IntakeStore is what the intake reads and does. Each method returns feed.ErrUnavailable when the store cannot answer
// now; all that write may be repeated.
type IntakeStore interface {
	// NextSignals takes up to limit signals for a consumer of a group: first those that the group took and never
	// acknowledged, by this consumer before a restart or by any for 30 s, then new ones. Where there are none it waits
	// up to wait for the first one. The group is made when it is missing, at the oldest signal kept.
	NextSignals(ctx context.Context, group, consumer string, limit int, wait time.Duration) ([]feed.Signal, error)
	// AckSignals marks signals as done by the group.
	AckSignals(ctx context.Context, group string, ids ...string) error
	// Turns counts how often another server has taken over. It may not know what was saved last, and take the
	// acknowledgement of that nevertheless.
	Turns() uint64
	// SourceByURL returns the source with this canonical URL, or feed.ErrNotFound.
	SourceByURL(ctx context.Context, url string) (feed.Source, error)
	// Entries are the newest entries of a source, at most limit.
	Entries(ctx context.Context, feedURL string, limit int) ([]feed.Entry, error)
	// Article returns an article, or feed.ErrNotFound.
	Article(ctx context.Context, uuid string, types []string) (feed.Article, error)
	// SaveArticle creates or refreshes the record of an article and reports whether that changed anything. Placements
	// are left alone.
	SaveArticle(ctx context.Context, a feed.Article) (changed bool, err error)
	// AutoPublish publishes the article in a feed by rule: with publishNew where it was never out or has expired, and
	// in any case where it is out or imported with another digest; never where an editor took it back. What was done
	// for this digest before is not done again (Changed is false).
	AutoPublish(ctx context.Context, uuid, typ, digest string, publishNew bool) (feed.Transition, error)
}

// IntakeOptions are what may be chosen about an Intake. With the zero value nothing becomes an article.
type IntakeOptions struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are kept nowhere
	Now        func() time.Time      // nil: time.Now

	Feeds        []feed.Outgoing                       // as configured
	Consumer     string                                // names this daemon among those that share the work; empty: "desk"
	OnTransition func(typ string, from, to feed.State) // called for each change of state done here; nil: nobody cares
	OnPanic      func(component string)                // told of each recovered panic, component "intake"; nil: nobody
}

const (
	intakeGroup  = "desk"
	intakeBatch  = 50
	intakeWait   = 5 * time.Second
	firstBackOff = 100 * time.Millisecond
	lastBackOff  = 2 * time.Second // the store counts as recovered within 5 s
)

// Intake turns the entries of sources that feed an outgoing feed into articles, and publishes them where the rules say
// so. It reads the signals of the outbox as a consumer group. A signal is acknowledged once all it asks for is done;
// since each step may be repeated, a crash anywhere does no harm.
type Intake struct {
	store   IntakeStore
	opts    IntakeOptions
	feeds   atomic.Pointer[[]destination]
	metrics *intakeMetrics
}

// NewIntake returns an intake over store.
func NewIntake(store IntakeStore, opts IntakeOptions) *Intake {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Consumer == "" {
		opts.Consumer = "desk"
	}
	if opts.OnTransition == nil {
		opts.OnTransition = func(string, feed.State, feed.State) {}
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	in := &Intake{store: store, opts: opts, metrics: newIntakeMetrics(opts.Registerer)}
	in.Reload(opts.Feeds)
	return in
}

// Reload takes over the outgoing feeds, for the signals that are looked at from now on.
func (in *Intake) Reload(feeds []feed.Outgoing) {
	all := in.destinations(feeds)
	in.feeds.Store(&all)
}

// Run works on signals until ctx ends. What fails is tried again; Run returns nil.
func (in *Intake) Run(ctx context.Context) error {
	always := func(err error) bool { return err != nil } // without the outbox there is nothing else to do
	for ctx.Err() == nil {
		turns := in.store.Turns()
		var signals []feed.Signal
		_ = in.retry(ctx, always, func() (err error) { // succeeds, or ctx has ended
			signals, err = in.store.NextSignals(ctx, intakeGroup, in.opts.Consumer, intakeBatch, intakeWait)
			return err
		})
		done := in.settleAll(ctx, signals)
		if len(done) > 0 {
			_ = in.retry(ctx, always, func() error { return in.store.AckSignals(ctx, intakeGroup, done...) })
		}
		for now := in.store.Turns(); now != turns && ctx.Err() == nil; now = in.store.Turns() {
			turns = now
			in.settleAll(ctx, signals) // nobody else would, where the new server took the acknowledgement and forgot the work
		}
	}
	return nil
}

// settleAll does what signals ask for, and tells which of them may be acknowledged.
func (in *Intake) settleAll(ctx context.Context, signals []feed.Signal) (done []string) {
	known := make(map[string]feed.Source) // by URL: the signals of one document come together
	for i := range signals {
		if in.settle(ctx, &signals[i], known) {
			done = append(done, signals[i].ID)
		}
	}
	return done
}

// retry calls do, with growing pauses, for as long as its error is one of those to try again, or until ctx ends. It
// logs the first failure and the recovery, not each try.
func (in *Intake) retry(ctx context.Context, again func(error) bool, do func() error) error {
	pause := firstBackOff
	for tries := 0; ; tries++ {
		err := do()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !again(err):
			if tries > 0 {
				in.opts.Logger.Info("the intake goes on")
			}
			return err
		case tries == 0:
			in.opts.Logger.Warn("the intake waits for the store", "err", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, lastBackOff)
	}
}

// settle does what a signal asks for and reports whether it may be acknowledged. A signal that can never succeed is
// given up, so that it does not stand in the way of others; one that failed for another reason than an absent store is
// left, and the group delivers it again. So is one whose article was saved and is not found: a server took over that does
// not know it.
//
// Known are the sources that were read for other signals a moment ago.
func (in *Intake) settle(ctx context.Context, s *feed.Signal, known map[string]feed.Source) bool {
	var became outcome
	unavailable := func(err error) bool { return errors.Is(err, feed.ErrUnavailable) }
	err := in.retry(ctx, unavailable, func() (err error) {
		if became, err = in.take(ctx, s, known); err != nil {
			clear(known) // the next try may be a while away
		}
		return err
	})
	switch {
	case ctx.Err() != nil:
		return false
	case err == nil:
	case errors.Is(err, feed.ErrInvalid), errors.Is(err, errPanic):
		became = outcomeRejected
		in.opts.Logger.Error("entry cannot become an article, given up",
			"signal", s.ID, "feed", s.FeedURL, "entry", s.Entry, "err", err)
	default:
		became = outcomeLeft
		in.opts.Logger.Error("entry did not become an article, it is tried again later",
			"signal", s.ID, "feed", s.FeedURL, "entry", s.Entry, "err", err)
	}
	in.metrics.signals[became].Inc()
	if became == outcomeArticle {
		in.metrics.lag.Observe(max(0, in.opts.Now().Sub(s.Time).Seconds()))
	}
	return became != outcomeLeft
}

// errPanic: the work on one signal panicked.
var errPanic = errors.New("panic")

// take makes or refreshes the article of the signal's post and publishes it where that is the rule.
func (in *Intake) take(ctx context.Context, s *feed.Signal, known map[string]feed.Source) (became outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			in.opts.OnPanic("intake")
			in.opts.Logger.Error("panic in the intake", "signal", s.ID, "entry", s.Entry, "err", p, "stack", string(debug.Stack()))
			became, err = outcomeRejected, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	if s.Post == nil && s.Held.IsZero() { // nothing about entries, or the entry is gone since
		return outcomeIgnored, nil
	}
	source, seen := known[s.FeedURL]
	if !seen {
		source, err = in.store.SourceByURL(ctx, s.FeedURL)
		switch {
		case errors.Is(err, feed.ErrNotFound): // removed since
			return outcomeIgnored, nil
		case err != nil:
			return "", fmt.Errorf("find source %s: %w", s.FeedURL, err)
		}
		known[s.FeedURL] = source
	}
	feeds := *in.feeds.Load()
	takes := func(d destination) bool { return d.Takes(&source) }
	if !slices.ContainsFunc(feeds, takes) {
		return outcomeIgnored, nil
	}
	if s.Post == nil {
		return in.takeHeld(ctx, feeds, s, &source)
	}
	if wanted, err := in.wanted(ctx, feeds, &source, s.Post); err != nil || !wanted {
		return outcomeIgnored, err
	}
	article := articleOf(s.Post)
	article.Signal = s.ID
	if _, err := in.store.SaveArticle(ctx, article); err != nil {
		return "", fmt.Errorf("save article %s: %w", article.UUID, err)
	}
	for i := range feeds {
		to := &feeds[i]
		publishNew := to.wants(&source, s.Post) && to.mode(&source) == feed.PublishAuto
		if err := in.publish(ctx, &article, to.Type, &source, publishNew); err != nil {
			return "", err
		}
	}
	return outcomeArticle, nil
}

// maxHeld bounds how many entries are read after a signal of held ones: as many as a document may hold by default.
const maxHeld = 2000

// takeHeld makes or refreshes the articles of a source whose entries changed without signals of their own. None is
// published for it: what is out is not sent again, and what is new to us is old news.
func (in *Intake) takeHeld(ctx context.Context, feeds []destination, s *feed.Signal, source *feed.Source) (outcome, error) {
	entries, err := in.store.Entries(ctx, s.FeedURL, maxHeld)
	if err != nil {
		return "", fmt.Errorf("read entries of %s: %w", s.FeedURL, err)
	}
	became := outcomeIgnored
	for i := range entries {
		if wanted, err := in.wanted(ctx, feeds, source, &entries[i]); err != nil {
			return "", err
		} else if !wanted {
			continue
		}
		article := articleOf(&entries[i])
		article.Signal = s.ID
		if _, err := in.store.SaveArticle(ctx, article); err != nil && !errors.Is(err, feed.ErrInvalid) {
			return "", fmt.Errorf("save article %s: %w", article.UUID, err)
		}
		became = outcomeArticle
	}
	return became, nil
}

// publish lets the rule decide in one feed; publishNew: an article that was not out yet goes out. Feeds that do not take the source are asked as well: an editor may have put
// the article there, and then an edit goes there too.
func (in *Intake) publish(ctx context.Context, a *feed.Article, typ string, source *feed.Source, publishNew bool) error {
	done, err := in.store.AutoPublish(ctx, a.UUID, typ, a.Digest, publishNew)
	if err != nil {
		return fmt.Errorf("publish article %s in %s: %w", a.UUID, typ, err)
	}
	if done.Changed {
		in.opts.OnTransition(typ, done.From, done.To)
		in.opts.Logger.Info("article published by rule",
			"article", a.UUID, "feed", typ, "source", source.URL, "revision", done.Revision)
	}
	return nil
}
