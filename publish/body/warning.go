package body

import (
	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const maxWarnings = 100

// warn notes what became of an element. A page built by a machine can repeat a fault thousands of times.
func (w *writer) warn(message string, t html.Token) {
	if len(w.warnings) < maxWarnings {
		w.warnings = append(w.warnings, hypertext.Warning{Message: message, Markup: hypertext.StartTag(t.Data, t.Attr)})
	}
}
