package hub

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// The chart has a column for each of the last 90 days.
const (
	chartDays = 90
	chartStep = 5 // distance of columns in units of the view box
)

// topicView is the data of topic.html.
type topicView struct {
	web.Frame
	Topic    feed.TopicHistory
	URL      string // or the signals that the topic selects
	Chart    []web.Bar
	Text     string // the chart in words
	Days     []feed.TopicDay
	Versions []feed.TopicVersion
}

// Causes returns the text of causes.
func (topicView) Causes(counts map[string]int) string { return CausesText(counts) }

// CausesText returns the causes of failed attempts with their numbers, the most frequent first.
func CausesText(counts map[string]int) string {
	causes := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, cause := range causes {
		causes[i] = fmt.Sprintf("%d × %s", counts[cause], cause)
	}
	return strings.Join(causes, ", ")
}

// getTopic serves GET /api/v1/hub/topics/{topic}.
func (h *Hub) getTopic(r *http.Request) (feed.TopicHistory, error) {
	return h.store.TopicHistory(r.Context(), r.PathValue("topic"))
}

// showTopic serves "/topics/{topic}".
func (h *Hub) showTopic(w http.ResponseWriter, r *http.Request) error {
	t, err := h.getTopic(r)
	if err != nil {
		return err
	}
	url := TopicText(t.URL)
	view := topicView{Frame: web.Frame{Title: url}, Topic: t, URL: url, Days: slices.Clone(t.Days), Versions: t.Versions}
	slices.Reverse(view.Days)
	view.Chart, view.Text = dayChart(t.Days, h.web.Now())
	return h.web.Render(w, r, "topic.html", &view)
}

// dayChart returns the chart of the subscribers by the day, and the same in words.
func dayChart(days []feed.TopicDay, now time.Time) (bars []web.Bar, text string) {
	counts := make(map[string]int, len(days))
	for _, d := range days {
		counts[d.Day] = d.Subscribers
	}
	columns := make([]web.Column, chartDays)
	for i := range columns {
		columns[i].First = counts[now.UTC().AddDate(0, 0, i+1-chartDays).Format(time.DateOnly)]
	}
	bars, most := web.Columns(columns, chartStep)
	return bars, fmt.Sprintf("Subscribers in the last %d days: %d now, at most %d", chartDays, columns[chartDays-1].First, most)
}
