package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/profile"
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

// Preview returns an article as a feed would show it. It counts nothing. It returns feed.ErrNotFound for an unknown feed; a
// blocked article is not an error.
func (p *Publisher) Preview(_ context.Context, a feed.Article, typ string) (Preview, error) {
	o := p.outlet(typ)
	if o == nil {
		return Preview{}, fmt.Errorf("preview for feed %q: %w", typ, feed.ErrNotFound)
	}
	v := Preview{Feed: typ}
	var findings []validate.Finding
	var warnings []hypertext.Warning
	if o.profile.Body != profile.BodyInstant {
		v.Markup, warnings, _ = o.fragment(&a)
	} else if v.Markup, warnings, _ = o.transform(&a); v.Markup == "" {
		findings = validate.Article(o.dated(&a))
	} else {
		findings = o.validate(v.Markup)
	}
	v.Warnings = append([]hypertext.Warning{}, warnings...) // not null in JSON
	v.Findings = append([]validate.Finding{}, findings...)
	slices.SortStableFunc(v.Findings, func(a, b validate.Finding) int { return cmp.Compare(a.Severity, b.Severity) }) // "error" < "warning"
	if _, err := o.encode(&a); err != nil {
		v.Blocked = reasonOf(err)
	}
	return v, nil
}
