package articles

import (
	"context"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// stateBlocked is a value of the state filter, but not a state: the article is published, and the feed leaves it out.
const stateBlocked = "blocked"

// stateInbox is a value of the state filter, but not a state: the article has no decision.
const stateInbox = "inbox"

// maxLooked is how many articles are read for a page if not all of them match.
const maxLooked = 500

// filter selects articles of a list.
type filter struct{ text, source, typ, state string }

// filterOf reads the filter of a query.
func (as *Articles) filterOf(query *web.Query) filter {
	f := filter{
		text: query.Search(), source: strings.TrimSpace(web.Cut(query.Get("source"), 500)), typ: query.Get("feed"), state: query.Get("state"),
	}
	if f.typ != "" && as.opts.Feeds.Find(f.typ) == nil {
		query.Refuse("feed", as.opts.Feeds.Unknown(f.typ))
	}
	if f.state != "" && !slices.Contains(filterStates(), feed.State(f.state)) {
		query.Refuse("state", "use unpublished, published, imported, expired, withdrawn, blocked, dismissed or inbox")
	}
	return f
}

// filterStates are the values of the state filter.
func filterStates() []feed.State {
	return append(feed.States(), stateBlocked, feed.StateDismissed, stateInbox)
}

// ofArticle reports whether the state is one of the article and not of its placement in a feed.
func (f filter) ofArticle() bool {
	return f.state == stateInbox || f.state == string(feed.StateDismissed)
}

// stateOf returns the state of an article as a whole: in the inbox, dismissed, or empty if people or rules published it.
func stateOf(a *feed.Article, types []string) string {
	switch {
	case !a.Dismissed.IsZero():
		return string(feed.StateDismissed)
	case slices.ContainsFunc(types, func(typ string) bool { return a.StateIn(typ) != feed.StateUnpublished }):
		return ""
	}
	return stateInbox
}

// plan returns how to find the articles: in the set of a state if there is one, else among all.
func (f filter) plan(from feed.Cursor, limit int) feed.ArticleQuery {
	q := feed.ArticleQuery{Type: f.typ, From: from, Limit: limit, Look: limit}
	if f.ofArticle() {
		if q.Inbox = f.state == stateInbox; !q.Inbox {
			q.State = feed.StateDismissed
		}
		if f.text != "" || f.source != "" {
			q.Look = max(limit, maxLooked)
		}
		return q
	}
	state := feed.State(f.state)
	if f.state == stateBlocked {
		state = feed.StatePublished
	}
	if f.typ != "" && state != feed.StateUnpublished {
		q.State = state
	}
	if f.text != "" || f.source != "" || f.state == stateBlocked || feed.State(f.state) != q.State {
		q.Look = max(limit, maxLooked)
	}
	return q
}

// feedsOf returns the outgoing feeds whose placements a filter selects.
func (as *Articles) feedsOf(f filter) feed.OutgoingFeeds {
	if one := as.opts.Feeds.Find(f.typ); one != nil && !f.ofArticle() {
		return feed.OutgoingFeeds{*one}
	}
	return as.opts.Feeds
}

// matches returns a function that reports whether the filter selects an article.
func (as *Articles) matches(ctx context.Context, f filter, types []string) func(*feed.Article) bool {
	text, source := strings.ToLower(f.text), strings.ToLower(f.source)
	has := func(in, part string) bool { return part == "" || strings.Contains(strings.ToLower(in), part) }
	return func(a *feed.Article) bool {
		named := has(a.Title, text) || has(a.Canonical, text) || has(a.GUID, text)
		if !named || !has(a.FeedURL, source) {
			return false
		}
		if f.ofArticle() {
			return f.state == stateOf(a, types)
		}
		return f.state == "" || slices.ContainsFunc(types, func(typ string) bool {
			if f.state == stateBlocked {
				if a.StateIn(typ) != feed.StatePublished {
					return false
				}
				why, _ := as.blocked(ctx, a, typ)
				return why != ""
			}
			return a.StateIn(typ) == feed.State(f.state)
		})
	}
}
