package publish

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/validate"
	"github.com/feedwire/feedwire/store/feed"
)

// validDocument returns the Instant Articles document of an article if the consumer accepts it. Otherwise the error describes
// the first error found, its remedy, and how many more there are.
func (o *outlet) validDocument(a *feed.Article) (instant.Document, error) {
	d, _, err := o.transform(a)
	if err != nil {
		return d, err
	}
	refused := slices.DeleteFunc(o.validate(d.Markup), func(f validate.Finding) bool { return f.Severity != validate.Error })
	if len(refused) == 0 {
		return d, nil
	}
	first, rest := refused[0], ""
	if more := len(refused) - 1; more > 0 {
		rest = fmt.Sprintf(" And %d more.", more)
	}
	return d, fmt.Errorf("%s (%s, at %s). %s%s", first.Message, first.Rule, first.Place, first.Remedy, rest)
}

// validate compares markup with the format, for the public feed or its development twin.
func (o *outlet) validate(markup string) []validate.Finding {
	findings := validate.Document(markup, validate.Options{Development: o.TwinOf != ""})
	for i := range findings {
		if o.profile.QueryAddresses && findings[i].Rule == validate.CanonicalQuery {
			findings[i].Severity = validate.Warning
		}
	}
	return findings
}

// blocked returns why the current document leaves articles out that would be in it.
func (o *outlet) blocked() map[itemKey]string {
	if c := o.cached.Load(); c != nil && c.doc != nil {
		return c.doc.blocked
	}
	return nil
}

// Blocked returns why a feed leaves an article out, or would. It is empty if it does not, or if the feed has not rendered this
// version of the article. Verdict renders it.
func (p *Publisher) Blocked(a *feed.Article, typ string) string {
	o := p.outlet(typ)
	if o == nil {
		return ""
	}
	reason, _ := o.judged(a)
	return reason
}

// BlockedArticles returns the UUIDs of the articles that a feed has tried to render and leaves out, sorted.
func (p *Publisher) BlockedArticles(typ string) []string {
	o := p.outlet(typ)
	if o == nil {
		return nil
	}
	all := []string{}
	for key := range o.blocked() {
		all = append(all, key.uuid)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reasonOf returns the message of an error for people, without the name of the article.
func reasonOf(err error) string {
	if errors.Is(err, instant.ErrEmpty) {
		return instant.ErrEmpty.Error()
	}
	_, reason, found := strings.Cut(err.Error(), feed.ErrInvalid.Error()+": ")
	if !found {
		return err.Error()
	}
	return reason
}
