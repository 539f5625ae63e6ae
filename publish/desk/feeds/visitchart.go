package feeds

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// The chart has a column for each of the last 24 hours.
const (
	chartHours = 24
	chartStep  = 20 // distance of columns in units of the view box
)

// visitChart shows the visits of the last day by the hour: visits of the consumer filled, visits of others outlined on top, and a
// mark above for failures, so that the chart does not depend on colour.
type visitChart struct {
	Bars []web.Bar
	Text string // the same in words
	From string // hour of the first column
	Most int    // visits in one hour
}

// visitChartOf returns the chart of visits, which are ordered newest first. It returns nil if there were no visits in the last day.
func visitChartOf(visits []feed.Visit, now time.Time) *visitChart {
	hours := make([]web.Column, chartHours)
	var all web.Column
	last := now.Truncate(time.Hour)
	for i := range visits {
		v := &visits[i]
		at := chartHours - 1 - int(last.Sub(v.Time.Truncate(time.Hour))/time.Hour)
		if at < 0 {
			break
		}
		at = min(at, chartHours-1) // the clock of another daemon may be ahead
		for _, h := range []*web.Column{&hours[at], &all} {
			switch {
			case v.Status >= 400:
				h.Failed++
			case v.Counted:
				h.First++
			default:
				h.Second++
			}
		}
	}
	bars, most := web.Columns(hours, chartStep)
	if len(bars) == 0 {
		return nil
	}
	return &visitChart{
		Bars: bars, Most: most, From: web.Clock(last.Add((1-chartHours)*time.Hour), now),
		Text: fmt.Sprintf("last 24 hours: %s by the consumer, %d by others, %d refused or failed", web.Plural(all.First, "visit"), all.Second, all.Failed),
	}
}
