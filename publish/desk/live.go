package desk

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	livePulse   = 2 * time.Second         // between two looks for a change
	liveAtOnce  = 50                      // pages that are told of changes at a time
	liveFor     = 10 * time.Minute        // then the browser asks again, and shows who it is again
	liveTimeout = 10 * time.Second        // for an event to leave
	liveRetry   = "retry: 5000\n\n"       // ms until a browser asks again
	liveBeat    = ": nothing changed\n\n" // lest somebody between takes the connection for dead
)

// followArticles serves "/articles/live": an event each time the list of the same query shows something else.
func (d *Desk) followArticles(w http.ResponseWriter, r *http.Request) error {
	return d.follow(w, r, func() (uint64, error) {
		page, err := d.articlesPage(r)
		if err != nil {
			return 0, err
		}
		return sumOf(page.Rows), nil
	})
}

// followArticle serves "/articles/{uuid}/live": an event each time something happened to the article.
func (d *Desk) followArticle(w http.ResponseWriter, r *http.Request) error {
	uuid, err := articleUUID(r)
	if err != nil {
		return err
	}
	return d.follow(w, r, func() (uint64, error) {
		view, err := d.store.ArticleView(r.Context(), uuid, d.types, 0)
		if err != nil {
			return 0, err
		}
		return sumOf(view.Article.Feeds, view.Article.Digest, len(view.Deeds), view.Deeds[:min(1, len(view.Deeds))]), nil
	})
}

// sumOf is a number that changes with what it is of.
func sumOf(what ...any) uint64 {
	h := fnv.New64a()
	for _, one := range what {
		if rows, ok := one.([]listRow); ok {
			for i := range rows { // without times, which are told as how long ago they are
				fmt.Fprint(h, rows[i].UUID, rows[i].Title, rows[i].Updated.Machine)
				for _, p := range rows[i].Places {
					fmt.Fprint(h, p.Seen, p.Impressions, p.HeldBack)
				}
			}
			continue
		}
		fmt.Fprint(h, one)
	}
	return h.Sum64()
}

// follow streams an event whenever look answers another number than before.
func (d *Desk) follow(w http.ResponseWriter, r *http.Request, look func() (uint64, error)) error {
	select {
	case d.following <- struct{}{}:
		defer func() { <-d.following }()
	default:
		return fmt.Errorf("%d pages are told of changes already: %w", liveAtOnce, feed.ErrUnavailable)
	}
	last, err := look()
	if err != nil {
		return err
	}
	out := http.NewResponseController(w)
	send := func(text string) error {
		_ = out.SetWriteDeadline(time.Now().Add(liveTimeout)) // where none can be set, the daemon's own holds
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return out.Flush()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if send(liveRetry) != nil {
		return nil
	}
	pulse, end := time.NewTicker(livePulse), time.NewTimer(liveFor)
	defer pulse.Stop()
	defer end.Stop()
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-end.C:
			return nil
		case <-d.ended:
			return nil
		case <-pulse.C:
		}
		sum, err := look()
		if err != nil {
			return nil //nolint:nilerr // the answer has begun; the browser asks again, and is told then
		}
		text := liveBeat
		if sum != last {
			last, text = sum, "event: changed\ndata: {}\n\n"
		}
		if send(text) != nil {
			return nil
		}
	}
}
