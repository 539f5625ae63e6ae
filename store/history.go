package store

import (
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// historyLine is a poll as the list <feed_url>:polls holds it: time (Unix ms), duration (ms), status, new, modified and
// class of the failure, if any, with spaces between.
func historyLine(p feed.Poll) string {
	if p.Time.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d %d %s", p.Time.UnixMilli(), p.Took.Milliseconds(), p.Status, p.New, p.Modified, p.Class)
}

// pollFromLine reads what historyLine wrote; what is missing stays zero.
func pollFromLine(line string) (p feed.Poll) {
	var at, took int64
	_, _ = fmt.Sscan(line, &at, &took, &p.Status, &p.New, &p.Modified, &p.Class) // the class may be missing
	p.Time, p.Took = time.UnixMilli(at).UTC(), time.Duration(took)*time.Millisecond
	return p
}
