package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// heldError keeps an article out of a feed: its markup is not what the consumer takes.
type heldError struct{ findings []instant.Finding }

// Error names the first error found, what to do about it, and how many more there are.
func (e *heldError) Error() string {
	var first instant.Finding
	more := -1
	for _, f := range e.findings {
		if f.Severity != instant.SeverityError {
			continue
		}
		if more++; more == 0 {
			first = f
		}
	}
	text := fmt.Sprintf("%s (%s, at %s). %s", first.Message, first.Rule, first.Place, first.Remedy)
	if more > 0 {
		text += fmt.Sprintf(" And %d more.", more)
	}
	return text
}

// valid is the markup of an article that the consumer takes. An error is the article's, so it never keeps others out.
func (o *outlet) valid(a *feed.Article) (string, error) {
	markup, _, err := o.transform(a)
	if err != nil {
		return "", err
	}
	if findings := o.findings(markup); instant.Refused(findings) {
		return "", &heldError{findings}
	}
	return markup, nil
}

// findings are where the markup falls short of the format, for the public feed or for a twin that is not.
func (o *outlet) findings(markup string) []instant.Finding {
	check := instant.Validate
	if o.TwinOf != "" {
		check = instant.ValidateDevelopment
	}
	found := check(markup)
	for i := range found {
		if o.profile.QueryAddresses && found[i].Rule == instant.RuleAddressQuery {
			found[i].Severity = instant.SeverityWarning
		}
	}
	return found
}

// holds remembers why a feed leaves articles out, for those who ask while documents are made.
type holds struct {
	mu      sync.Mutex
	reasons map[itemKey]string
}

func (h *holds) note(key itemKey, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reasons == nil {
		h.reasons = make(map[itemKey]string)
	}
	h.reasons[key] = reason
}

// keep forgets all but those that the current document was made without, and returns how many these are.
func (h *holds) keep(looked map[itemKey][]byte) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key := range h.reasons {
		if encoded, ok := looked[key]; !ok || encoded != nil {
			delete(h.reasons, key)
		}
	}
	return len(h.reasons)
}

// uuids are those of the articles that are left out, each once, in order.
func (h *holds) uuids() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]string, 0, len(h.reasons))
	for key := range h.reasons {
		all = append(all, key.uuid)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (h *holds) reason(key itemKey) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reasons[key]
}

// HeldBack is why the feed typ leaves an article out, or would; empty: it does not. An article without its Content is
// only known where the feed has tried it.
func (p *Publisher) HeldBack(a *feed.Article, typ string) string {
	o := p.outlet(typ)
	if o == nil {
		return ""
	}
	if reason := o.holds.reason(o.key(a)); reason != "" || a.Content == "" {
		return reason
	}
	if _, err := o.encode(a); err != nil {
		return reasonOf(err)
	}
	return ""
}

// Held are the UUIDs of the articles that the feed typ has tried and leaves out, in order.
func (p *Publisher) Held(typ string) []string {
	o := p.outlet(typ)
	if o == nil {
		return nil
	}
	return o.holds.uuids()
}

// reasonOf is an error in the words that a person needs, without the name of the article that it is about.
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

// Preview is what becomes of an article in a feed.
type Preview struct {
	Feed     string            `json:"feed"`
	HeldBack string            `json:"held_back,omitempty"` // why the feed leaves the article out; empty: it does not
	Markup   string            `json:"markup,omitempty"`    // empty: none can be made
	Warnings []instant.Warning `json:"warnings"`            // what was changed or left out to make it
	Findings []instant.Finding `json:"findings"`            // where it falls short of the format, errors first
}

// Preview shows an article as the feed typ would carry it. It counts nothing. It returns feed.ErrNotFound for an unknown
// feed; that an article is held back is no error here.
func (p *Publisher) Preview(_ context.Context, a feed.Article, typ string) (Preview, error) {
	o := p.outlet(typ)
	if o == nil {
		return Preview{}, fmt.Errorf("preview for feed %q: %w", typ, feed.ErrNotFound)
	}
	v := Preview{Feed: typ, Warnings: []instant.Warning{}, Findings: []instant.Finding{}}
	var found []instant.Finding
	var warnings []instant.Warning
	if o.profile.Body != profile.BodyInstant {
		v.Markup, warnings, _ = o.fragment(&a)
	} else if v.Markup, warnings, _ = o.transform(&a); v.Markup == "" {
		found = instant.ValidateArticle(o.dated(&a))
	} else {
		found = o.findings(v.Markup)
	}
	v.Warnings = append(v.Warnings, warnings...)
	if _, err := o.encode(&a); err != nil {
		v.HeldBack = reasonOf(err)
	}
	for _, severity := range []instant.Severity{instant.SeverityError, instant.SeverityWarning} {
		for _, f := range found {
			if f.Severity == severity {
				v.Findings = append(v.Findings, f)
			}
		}
	}
	return v, nil
}
