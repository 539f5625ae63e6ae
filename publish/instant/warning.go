package instant

import (
	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// The codes of warnings.
const (
	codeLeftOut   = "left-out"  // text or a medium is missing from the article
	codeIgnored   = "ignored"   // as left-out, because a rule of the publisher says so
	codeUnwrapped = "unwrapped" // an element or a link was removed and its content kept
	codeFlattened = "flattened" // content was kept in a simpler structure
	codeRepaired  = "repaired"  // something that the format requires was added
	codeRule      = "rule"      // a rule of the publisher did not apply
)

const maxWarnings = 100

// warn adds a warning about n. The number is bounded, because generated pages can repeat an error thousands of times.
func (b *builder) warn(code, message string, n *html.Node) {
	if len(b.warnings) < maxWarnings {
		b.warnings = append(b.warnings, hypertext.Warning{
			Code: code, Message: message, Markup: hypertext.StartTag(n.Data, n.Attr), Place: hypertext.Place(n),
		})
	}
}
