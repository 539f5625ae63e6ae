package feeds

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// listVisitLimit is how many visits of each feed the list reads.
const listVisitLimit = 200

// listView is the data of feeds.html.
type listView struct {
	web.Frame
	Rows []feedRow
}

// feedRow is an outgoing feed in the list.
type feedRow struct {
	*feed.Outgoing
	URL, Counts string
	Visit       time.Time // last counted one
	Chart       *visitChart
}

// showList serves "/feeds".
func (fs *Feeds) showList(w http.ResponseWriter, r *http.Request) error {
	states, err := fs.store.FeedStates(r.Context(), fs.opts.Feeds.Types(), listVisitLimit)
	if err != nil {
		return err
	}
	now := fs.web.Now()
	view := listView{Frame: web.Frame{Title: "Outgoing feeds"}}
	for i := range fs.opts.Feeds {
		f, visits := &fs.opts.Feeds[i], states[i].Visits
		view.Rows = append(view.Rows, feedRow{
			Outgoing: f, URL: fs.url(f), Counts: countsText(states[i].Articles), Visit: feed.LastCounted(visits), Chart: visitChartOf(visits, now),
		})
	}
	return fs.web.Render(w, r, "feeds.html", &view)
}

// countsText returns the articles of a feed by state in a line.
func countsText(articles map[feed.State]int) string {
	texts := []string{fmt.Sprintf("%d published", articles[feed.StatePublished])}
	for _, state := range []feed.State{feed.StateImported, feed.StateExpired, feed.StateWithdrawn} {
		if n := articles[state]; n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(texts, " · ")
}
