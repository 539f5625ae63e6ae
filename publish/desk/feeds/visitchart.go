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

// visitChart shows the visits of the last day by the hour: visits of the consumer filled, visits of others outlined on top, and a mark above
// for failures, so that the chart does not depend on colour.
type visitChart struct {
	Bars []web.Bar
	Text string // the same in words
	From string // hour of the first column
	Most int    // visits in one hour
}

// visitChartOf returns the chart of visits, which are ordered newest first. It returns nil if there were no visits in the last day.
func visitChartOf(visits []feed.Visit, now time.Time) *visitChart {
	type hour struct{ counted, other, failed int }
	var hours [chartHours]hour
	var all hour
	last := now.Truncate(time.Hour)
	for i := range visits {
		v := &visits[i]
		at := chartHours - 1 - int(last.Sub(v.Time.Truncate(time.Hour))/time.Hour)
		if at < 0 {
			break
		}
		at = min(at, chartHours-1) // the clock of another daemon may be ahead
		for _, h := range []*hour{&hours[at], &all} {
			switch {
			case v.Status >= 400:
				h.failed++
			case v.Counted:
				h.counted++
			default:
				h.other++
			}
		}
	}
	most := 0
	for _, h := range hours {
		most = max(most, h.counted+h.other)
	}
	if most+all.failed == 0 {
		return nil
	}
	chart := &visitChart{
		Most: most, From: web.Clock(last.Add((1-chartHours)*time.Hour), now),
		Text: fmt.Sprintf("last 24 hours: %s by the consumer, %d by others, %d refused or failed", web.Plural(all.counted, "visit"), all.other, all.failed),
	}
	for i, h := range hours {
		bars, top := web.Column(i*chartStep, h.counted, h.other, most)
		chart.Bars = append(chart.Bars, bars...)
		if h.failed > 0 {
			chart.Bars = append(chart.Bars, web.FailureMark(i*chartStep, top))
		}
	}
	return chart
}
