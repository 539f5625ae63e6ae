package feeds

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Feed is one item of GET /api/v1/feeds.
type Feed struct {
	Type        string             `json:"type"`
	URL         string             `json:"url"`
	Title       string             `json:"title,omitempty"`
	Profile     string             `json:"profile,omitempty"`
	Items       int                `json:"items"`             // in the current document, blocked articles included
	Window      string             `json:"window"`            // "24h0m0s"
	RetireAfter int                `json:"retire_after"`      // impressions; 0: articles stay until they expire
	Counted     []string           `json:"counted,omitempty"` // parts of the consumer's User-Agent; "*": every client
	Publish     feed.PublishMode   `json:"publish,omitempty"` // empty: as each source is configured
	From        string             `json:"from,omitempty"`    // list whose first entries become articles
	Top         int                `json:"top,omitempty"`     // how many of them
	TwinOf      string             `json:"twin_of,omitempty"` // the feed whose development twin this is
	Articles    map[feed.State]int `json:"articles"`          // by state
}

// list serves GET /api/v1/feeds.
func (fs *Feeds) list(r *http.Request) (feed.Page[Feed], error) {
	counts, err := fs.store.ArticleCounts(r.Context(), fs.opts.Feeds.Types())
	page := web.List[Feed](nil, "")
	for i := range fs.opts.Feeds {
		f := &fs.opts.Feeds[i]
		page.Items = append(page.Items, fs.viewOf(f, counts[f.Type]))
	}
	return page, err
}

// get serves GET /api/v1/feeds/{type}.
func (fs *Feeds) get(r *http.Request) (view Feed, err error) {
	f, err := fs.find(r)
	if err != nil {
		return view, err
	}
	counts, err := fs.store.ArticleCounts(r.Context(), []string{f.Type})
	return fs.viewOf(f, counts[f.Type]), err
}

// viewOf returns an outgoing feed with the counts of its articles, those of absent states as 0.
func (fs *Feeds) viewOf(f *feed.Outgoing, counts map[feed.State]int) Feed {
	articles := make(map[feed.State]int, len(feed.States()))
	for _, s := range feed.States() {
		articles[s] = counts[s]
	}
	top := f.Top
	if f.From == "" {
		top = 0
	}
	return Feed{
		From: f.From, Top: top, Type: f.Type, URL: fs.url(f), Title: f.Title, Profile: f.Profile, Items: f.Items(articles[feed.StatePublished]),
		Window: f.Window.String(), RetireAfter: f.RetireAfter, Counted: f.Counted, Publish: f.Publish, TwinOf: f.TwinOf, Articles: articles,
	}
}

// listVisits serves GET /api/v1/feeds/{type}/visits, newest first.
func (fs *Feeds) listVisits(r *http.Request) (page feed.Page[feed.Visit], err error) {
	f, err := fs.find(r)
	if err != nil {
		return page, err
	}
	query := web.QueryOf(r)
	limit := query.Number("limit", web.DefaultLimit, 1, feed.MaxVisits)
	if query.Err != nil {
		return page, query.Err
	}
	state, err := fs.store.FeedState(r.Context(), f.Type, 0, limit)
	return web.List(state.Visits, ""), err
}
