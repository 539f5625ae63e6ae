// Package validate checks finished Instant Articles documents against the requirements of the format.
//
// It has its own strict reader (tree.go) instead of the tolerant parser of package hypertext: an error that the reader
// repaired would reach the consumer.
package validate

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// Finding is one violation of a Requirement.
type Finding struct {
	Rule     string   `json:"rule"` // ID of the Requirement
	Severity Severity `json:"severity"`
	Message  string   `json:"message"` // what is wrong
	Place    string   `json:"place"`   // CSS path in the document; "article" if a field of the article is wrong
	Remedy   string   `json:"remedy"`  // what the author of the source can do
}

// Severity is the consequence of a Finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the consumer refuses the article, so feedwire blocks it
	Warning Severity = "warning" // the consumer drops at most a part of the article
)

// Options select the requirements. The zero value is for a public feed.
type Options struct {
	Development bool // the document is for a development feed, which takes no tags
}

const maxFindings = 100 // of one document; generated markup can repeat an error thousands of times

// Document returns the first 100 findings of a document in document order. It takes linear time.
func Document(document string, o Options) []Finding {
	v := validator{Options: o}
	if root := v.read(document); root != nil {
		v.document(root)
	}
	return v.findings
}

// Article returns the findings about fields without which instant.Transform cannot make a document.
func Article(a feed.Article) []Finding {
	v := validator{}
	v.canonical(a.Canonical, nil)
	if hypertext.Blank(hypertext.Clean(a.Title)) {
		v.find("title", nil, "the article has no title")
	}
	if a.Published.IsZero() {
		v.find("published", nil, "the article has no publication date")
	}
	if hypertext.Blank(hypertext.Clean(a.Content)) {
		v.find("content", nil, "the article has no content")
	}
	return v.findings
}

// HasErrors reports whether one of the findings is an Error.
func HasErrors(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Error })
}

// validator collects the findings of one document.
type validator struct {
	Options
	findings []Finding
}

// find adds a finding at n; nil means the article itself.
func (v *validator) find(rule string, n *html.Node, format string, args ...any) {
	if len(v.findings) == maxFindings {
		return
	}
	r := requirement(rule)
	at := "article"
	if n != nil {
		at = place(n)
	}
	message := hypertext.Cut(hypertext.Clean(fmt.Sprintf(format, args...)), 300)
	v.findings = append(v.findings, Finding{rule, r.Severity, message, at, r.Remedy})
}

// canonical checks the canonical URL, by which the consumer identifies the article.
func (v *validator) canonical(address string, n *html.Node) {
	u, err := url.Parse(address)
	switch {
	case strings.TrimSpace(address) == "":
		v.find("canonical", n, "the canonical URL is missing")
	case err != nil || !webAddress(u):
		v.find("canonical", n, "the canonical URL %.200q is not an absolute http or https URL", address)
	case strings.ContainsAny(address, "?#"):
		v.find(CanonicalQuery, n, "the canonical URL %.200q has a query or a fragment", address)
	}
}

// webAddress reports whether u is an absolute http or https URL.
func webAddress(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }
