package overview

import (
	"fmt"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// hourStep is the distance of the columns of a chart, one for each minute.
const hourStep = 5

// hourChart shows one kind of event in the last hour, by the minute.
type hourChart struct {
	Name, Text string // Text describes the chart
	Bars       []web.Bar
}

// hourCharts returns the charts of entries, signals, articles and impressions.
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

// hourChartOf returns a chart of two stacked values.
func hourChartOf(name, text string, minutes []feed.Minute, of func(*feed.Minute) (int, int)) hourChart {
	chart, most := hourChart{Name: name, Text: text}, 0
	for i := range minutes {
		first, second := of(&minutes[i])
		most = max(most, first+second)
	}
	for i := range minutes {
		first, second := of(&minutes[i])
		bars, _ := web.Column(i*hourStep, first, second, most)
		chart.Bars = append(chart.Bars, bars...)
	}
	return chart
}

func sum(minutes []feed.Minute) (all feed.Minute) {
	for _, m := range minutes {
		all = all.Plus(m)
	}
	return all
}
