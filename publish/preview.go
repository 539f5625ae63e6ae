package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// Preview returns an article as a feed would show it. It counts nothing. It returns feed.ErrNotFound for an unknown feed; a
// blocked article is not an error.
func (p *Publisher) Preview(_ context.Context, a feed.Article, typ string) (placement.Preview, error) {
	o := p.outlet(typ)
	if o == nil {
		return placement.Preview{}, fmt.Errorf("preview for feed %q: %w", typ, feed.ErrNotFound)
	}
	v := placement.Preview{Feed: typ}
	var findings []validate.Finding
	var warnings []hypertext.Warning
	if o.profile.Body != profile.BodyInstant {
		v.Markup, warnings, _ = o.fragment(&a)
	} else if d, changed, err := o.transform(&a); err != nil {
		warnings, findings = changed, validate.Article(o.dated(&a))
	} else {
		v.Markup, warnings, findings = d.Markup, changed, o.validate(d.Markup)
	}
	v.Warnings = append([]hypertext.Warning{}, warnings...) // not null in JSON
	v.Findings = append([]validate.Finding{}, findings...)
	slices.SortStableFunc(v.Findings, func(a, b validate.Finding) int { return cmp.Compare(a.Severity, b.Severity) }) // "error" < "warning"
	if _, err := o.encode(o.asPublished(&a)); err != nil {
		v.Blocked = reasonOf(err)
	}
	return v, nil
}
