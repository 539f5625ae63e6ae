package sources

import (
	"fmt"
	"math"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Dimensions in units of the view box, which is sparkStep wide for each poll.
const (
	sparkStep   = 3
	sparkHeight = 20
	sparkQuiet  = 3 // height of a poll without changes
)

// sparkline is a chart of the last polls, oldest first: a low bar for a poll without changes, a higher bar for new and changed entries,
// and an exclamation mark for a failure. Shapes differ, so the chart does not depend on colours.
type sparkline struct {
	Bars []web.Bar
	Text string // for screen readers
}

// sparklineOf returns the chart of polls, which are newest first; nil if there are none.
func sparklineOf(polls []feed.Poll) *sparkline {
	if len(polls) == 0 {
		return nil
	}
	var line sparkline
	failed, news := 0, 0
	for i := range polls {
		p, x := &polls[len(polls)-1-i], (feed.MaxPolls-len(polls)+i)*sparkStep
		switch changes := p.New + p.Modified; {
		case p.Class != "":
			failed++
			line.Bars = append(line.Bars, web.Bar{X: x, Height: 13, Class: "bad"}, web.Bar{X: x, Y: 16, Height: 4, Class: "bad"})
		case changes > 0:
			news++
			height := min(sparkHeight, sparkQuiet+4+int(3*math.Log2(float64(changes))))
			line.Bars = append(line.Bars, web.Bar{X: x, Y: sparkHeight - height, Height: height, Class: "news"})
		default:
			line.Bars = append(line.Bars, web.Bar{X: x, Y: sparkHeight - sparkQuiet, Height: sparkQuiet, Class: "quiet"})
		}
	}
	line.Text = fmt.Sprintf("last %s: %d with changes, %d failed", web.Plural(len(polls), "poll"), news, failed)
	return &line
}
