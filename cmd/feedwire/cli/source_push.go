package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// pushText describes the subscription of a source at its hub in one line.
func pushText(p *feed.Push, now time.Time) string {
	text := cmp.Or(string(p.State), "none")
	if !p.LeaseEnd.IsZero() {
		text += ", until " + p.LeaseEnd.Format(time.DateTime)
	}
	if !p.LastPush.IsZero() {
		text += fmt.Sprintf(", %d pushes, last %s", p.Pushes, terminal.Ago(p.LastPush, now))
	}
	if p.ErrorText != "" {
		text += "; " + p.ErrorText
	}
	return text
}
