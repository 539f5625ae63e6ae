package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	listsEvery    = time.Minute      // between two reads of the lists that feeds name
	standingEvery = 10 * time.Minute // between two publications of what has expired in a feed with standing items
)

// followLists makes articles of the first entries of the lists that feeds name, every minute and after Reload, until ctx ends.
func (in *Intake) followLists(ctx context.Context) {
	done, failing := make(map[string]string), make(map[string]bool) // by type of the feed; what publishList did last
	for retry.Await(ctx, in.relist, listsEvery) {
		feeds := *in.destinations.Load()
		for i := range feeds {
			to := &feeds[i]
			if to.From == "" || to.sieve == nil {
				continue
			}
			state, err := in.publishList(ctx, to, done[to.Type])
			done[to.Type] = state
			if err != nil && !failing[to.Type] && ctx.Err() == nil {
				in.opts.Logger.Error("no articles from the list of a feed; retrying every minute. feedwire list list names the lists",
					"feed", to.Type, "list", to.List(), "err", err)
			}
			failing[to.Type] = err != nil
		}
	}
}

// publishList makes articles of the first entries of the list of a feed, and publishes them by rule. It is a no-op if they and the rule are
// as in the state that the last call returned. It turns a panic into an error.
func (in *Intake) publishList(ctx context.Context, to *destination, before string) (state string, err error) {
	defer func() {
		if p := recover(); p != nil {
			in.opts.OnPanic("intake")
			err = fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
	}()
	version, err := in.store.ListVersion(ctx, to.List(), to.Top)
	if err != nil {
		return "", err
	}
	state = fmt.Sprint(version, to.From, to.Top, to.Publish, to.Select, to.RetireAfter)
	if to.RetireAfter == 0 {
		state += fmt.Sprint(time.Now().Unix() / int64(standingEvery.Seconds()))
	}
	if state == before {
		return state, nil
	}
	page, err := in.store.ListEntries(ctx, to.List(), to.Top)
	if err != nil {
		return "", err
	}
	for i := range slices.Backward(page.Entries) { // the best is published last: consumers show the newest publication first
		e := &page.Entries[i]
		source := page.Sources[e.FeedURL]
		if err := in.publishListed(ctx, to, e, &source); errors.Is(err, feed.ErrInvalid) {
			in.opts.Logger.Error("entry of a list cannot become an article", "list", to.List(), "entry", e.ID, "err", err)
		} else if err != nil {
			return "", err
		}
	}
	return state, nil
}

// publishListed makes an article of an entry of the list of a feed, and publishes it unless an editor does.
func (in *Intake) publishListed(ctx context.Context, to *destination, e *feed.Entry, source *feed.Source) error {
	if kept, _ := to.sieve.Match(e); !kept {
		return nil
	}
	article, err := in.saveArticle(ctx, e, source, "")
	if err != nil || article == nil {
		return err
	}
	publishNew := cmp.Or(to.Publish, feed.PublishAuto) == feed.PublishAuto
	if publishNew && to.RetireAfter > 0 { // what its consumer did not fetch in time is no longer news, although users still like it
		known, err := in.store.Article(ctx, article.UUID, []string{to.Type})
		if err != nil {
			return err
		}
		publishNew = known.StateIn(to.Type) != feed.StateExpired
	}
	return in.publish(ctx, article, to, publishNew)
}
