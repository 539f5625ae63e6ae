package placement

import (
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/store/feed"
)

// Preview is an article as a feed would show it.
type Preview struct {
	Feed     string              `json:"feed"`
	Blocked  string              `json:"blocked,omitempty"` // why the feed leaves the article out; empty: it does not
	Markup   string              `json:"markup,omitempty"`  // empty: none can be made
	Warnings []hypertext.Warning `json:"warnings"`          // what was changed or left out
	Findings []validate.Finding  `json:"findings"`          // how it differs from the format, errors first
}

// Errors returns the findings for which the consumer would refuse the article.
func (p *Preview) Errors() (all feed.FieldErrors) {
	for _, f := range p.Findings {
		if f.Severity == validate.Error {
			all = append(all, feed.FieldError{Field: f.Rule, Reason: f.Message + ", at " + f.Place + ". " + f.Remedy})
		}
	}
	return all
}
