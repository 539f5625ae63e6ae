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
	chart := func(name, text string, of func(*feed.Minute) web.Column) hourChart {
		columns := make([]web.Column, len(minutes))
		for i := range minutes {
			columns[i] = of(&minutes[i])
		}
		bars, _ := web.Columns(columns, hourStep)
		return hourChart{name, text, bars}
	}
	return []hourChart{
		chart("Entries", fmt.Sprintf("%d new, %d changed", all.Created, all.Modified),
			func(m *feed.Minute) web.Column { return web.Column{First: m.Created, Second: m.Modified} }),
		chart("Signals", fmt.Sprintf("%d sent", all.Signals),
			func(m *feed.Minute) web.Column { return web.Column{First: m.Signals} }),
		chart("Articles", fmt.Sprintf("%d published, %d imported", all.Published, all.Imported),
			func(m *feed.Minute) web.Column { return web.Column{First: m.Published, Second: m.Imported} }),
		chart("Impressions", fmt.Sprintf("%d counted", all.Impressions),
			func(m *feed.Minute) web.Column { return web.Column{First: m.Impressions} }),
	}
}

func sum(minutes []feed.Minute) (all feed.Minute) {
	for _, m := range minutes {
		all = all.Plus(m)
	}
	return all
}
