package source

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// historyLine formats a poll as an element of <feed_url>:polls: time (Unix ms), duration (ms), status, new, modified and class of the
// failure, separated by spaces; empty for no poll.
func historyLine(p feed.Poll) string {
	if p.Time.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d %d %s", p.Time.UnixMilli(), p.DurationMS, p.Status, p.New, p.Modified, p.Class)
}

// pollFromLine reads a line of historyLine. Missing fields are zero.
func pollFromLine(line string) (p feed.Poll) {
	var at int64
	_, _ = fmt.Sscan(line, &at, &p.DurationMS, &p.Status, &p.New, &p.Modified, &p.Class) // the class may be missing
	p.Time = time.UnixMilli(at).UTC()
	return p
}
