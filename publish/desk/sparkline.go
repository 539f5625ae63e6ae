package desk

import (
	"fmt"
	"math"

	"github.com/feedwire/feedwire/store/feed"
)

// The measures of a sparkline, in units of its view box. The box is sparkStep for each poll wide.
const (
	sparkStep   = 3
	sparkHeight = 20
	sparkQuiet  = 3 // height of a poll that brought nothing new
)

// sparkline draws the last polls of a source, oldest first: a low bar for one that brought nothing new, a higher one the
// more it brought, and an exclamation mark for a failure, so that the shape alone tells.
type sparkline struct {
	Bars []sparkBar
	Text string // the same in words
}

// sparkBar is one rectangle.
type sparkBar struct {
	X, Y, Height int
	Class        string // quiet, news or bad
}

// sparklineOf draws polls, which come newest first; nil: there are none.
func sparklineOf(polls []feed.Poll) *sparkline {
	if len(polls) == 0 {
		return nil
	}
	var line sparkline
	failed, news := 0, 0
	for i := range polls {
		p, x := &polls[len(polls)-1-i], (feed.PollsKept-len(polls)+i)*sparkStep
		switch brought := p.New + p.Modified; {
		case p.Class != "":
			failed++
			line.Bars = append(line.Bars, sparkBar{x, 0, 13, "bad"}, sparkBar{x, 16, 4, "bad"})
		case brought > 0:
			news++
			height := min(sparkHeight, sparkQuiet+4+int(3*math.Log2(float64(brought))))
			line.Bars = append(line.Bars, sparkBar{x, sparkHeight - height, height, "news"})
		default:
			line.Bars = append(line.Bars, sparkBar{x, sparkHeight - sparkQuiet, sparkQuiet, "quiet"})
		}
	}
	line.Text = fmt.Sprintf("last %s: %d with something new, %d failed", plural(len(polls), "poll"), news, failed)
	return &line
}
