package community

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// Reasons of refusals.
const (
	blockedWord   = "word"
	blockedDomain = "domain"
	tooOften      = "limit"
)

// NewRefused returns the counter of what members could not write.
func NewRefused(reg prometheus.Registerer) *prometheus.CounterVec {
	refused := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "feedwire_community_refused_total", Help: "Submissions, comments, edits, profiles and votes that were refused.",
	}, []string{"reason"})
	for _, reason := range []string{blockedWord, blockedDomain, tooOften} {
		refused.WithLabelValues(reason) // starts at 0, so that a rate sees the first event
	}
	return refused
}

// CheckComment returns a comment as it is stored, unless its author, who is no moderator, may not write it.
func (c *Community) CheckComment(author *feed.Account, body string) (string, error) {
	body, err := feed.CheckComment(body)
	if err == nil && !author.Role.Moderates() {
		err = c.unblocked("body", body)
	}
	return body, err
}

// mayWrite returns an error for a submission that an author, who is no moderator, may not write.
func (c *Community) mayWrite(author *feed.Account, s *feed.Submission) error {
	if author.Role.Moderates() {
		return nil
	}
	if domain := c.opts.Blocklist.Domain(s.URL); domain != "" {
		return refuse(c.opts.Refused, blockedDomain, "url", domain)
	}
	if err := c.unblocked("title", s.Title); err != nil {
		return err
	}
	return c.unblocked("text", s.Text)
}

// unblocked is CheckText for the blocklist.
func (c *Community) unblocked(field, text string) error {
	return CheckText(c.opts.Blocklist, c.opts.Refused, field, text)
}

// CheckText returns an error for a text with a word of a list, or a URL of a domain there, and counts it.
func CheckText(list *blocklist.List, refused *prometheus.CounterVec, field, text string) error {
	if word := list.Word(text); word != "" {
		return refuse(refused, blockedWord, field, word)
	}
	for _, found := range anyAddress.FindAllString(text, -1) {
		if domain := list.Domain(hypertext.Resolve(nil, trimAddress(found), "http", "https")); domain != "" {
			return refuse(refused, blockedDomain, field, domain)
		}
	}
	return nil
}

func refuse(refused *prometheus.CounterVec, reason, field, rule string) error {
	refused.WithLabelValues(reason).Inc()
	return feed.Invalid(field, fmt.Sprintf("the %s %q is blocked in this community; remove it", reason, rule))
}
