package desk

import (
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// The measures of the charts of the last hour, in units of their view box: a column for each minute.
const (
	hourStep  = 5
	hourWidth = 4
)

// hourChart draws one thing that happened in the last hour, by the minute.
type hourChart struct {
	Name, Text string // the same in words
	Bars       []chartBar
}

// hourCharts are those of entries, signals, publications and impressions.
func hourCharts(minutes []feed.Minute) []hourChart {
	all := sum(minutes)
	return []hourChart{
		hourChartOf("Entries", fmt.Sprintf("%d new, %d changed", all.Created, all.Modified), minutes,
			func(m *feed.Minute) (int, int) { return m.Created, m.Modified }),
		hourChartOf("Signals", fmt.Sprintf("%d sent", all.Signals), minutes,
			func(m *feed.Minute) (int, int) { return m.Signals, 0 }),
		hourChartOf("Articles", fmt.Sprintf("%d published, %d imported", all.Published, all.Imported), minutes,
			func(m *feed.Minute) (int, int) { return m.Published, m.Imported }),
		hourChartOf("Impressions", fmt.Sprintf("%d counted", all.Impressions), minutes,
			func(m *feed.Minute) (int, int) { return m.Impressions, 0 }),
	}
}

// hourChartOf draws a first thing filled and a second one as an outline on top.
func hourChartOf(name, text string, minutes []feed.Minute, of func(*feed.Minute) (int, int)) hourChart {
	chart, most := hourChart{Name: name, Text: text}, 0
	for i := range minutes {
		first, second := of(&minutes[i])
		most = max(most, first+second)
	}
	for i := range minutes {
		first, second := of(&minutes[i])
		low, high := columnHeight(first, most), columnHeight(first+second, most)
		if first > 0 {
			chart.Bars = append(chart.Bars, chartBar{i * hourStep, chartHeight - low, low, "counted"})
		}
		if second > 0 {
			chart.Bars = append(chart.Bars, chartBar{i * hourStep, chartHeight - high, high - low, "other"})
		}
	}
	return chart
}

func sum(minutes []feed.Minute) (all feed.Minute) {
	for _, m := range minutes {
		all = all.Plus(m)
	}
	return all
}
