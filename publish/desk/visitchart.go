package desk

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// The measures of the chart of visits, in units of its view box: one column for each of the last 24 hours.
const (
	chartHours  = 24
	chartStep   = 20
	chartWidth  = 14
	chartHeight = 60
)

// visitChart draws the visits of the last day by the hour: those of the consumer filled, those of others as an outline on
// top, and failures as a mark above, so that the shape alone tells.
type visitChart struct {
	Bars []chartBar
	Text string // the same in words
	From string // hour of the first column
	Most int    // visits in one hour
}

// chartBar is one rectangle.
type chartBar struct {
	X, Y, Height int
	Class        string // counted, other or bad
}

// visitChartOf draws visits, which come newest first; nil: there were none in that time.
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
		switch {
		case v.Status >= 400:
			hours[at].failed++
			all.failed++
		case v.Counted:
			hours[at].counted++
			all.counted++
		default:
			hours[at].other++
			all.other++
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
		Most: most, From: clock(last.Add((1-chartHours)*time.Hour), now),
		Text: fmt.Sprintf("the last 24 hours: %s of the consumer, %d of others, %d refused or failed", plural(all.counted, "visit"), all.other, all.failed),
	}
	for i, h := range hours {
		x, counted := i*chartStep, columnHeight(h.counted, most)
		both := columnHeight(h.counted+h.other, most)
		if h.counted > 0 {
			chart.Bars = append(chart.Bars, chartBar{x, chartHeight - counted, counted, "counted"})
		}
		if h.other > 0 {
			chart.Bars = append(chart.Bars, chartBar{x, chartHeight - both, both - counted, "other"})
		}
		if h.failed > 0 {
			chart.Bars = append(chart.Bars, chartBar{x, chartHeight - both - 10, 6, "bad"})
		}
	}
	return chart
}

// columnHeight leaves room for the marks of failures, and shows one visit beside a thousand.
func columnHeight(n, most int) int {
	if n == 0 || most == 0 {
		return 0
	}
	const room = chartHeight - 12
	return max(2, n*room/most)
}
