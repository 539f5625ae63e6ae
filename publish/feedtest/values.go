package feedtest

import (
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

var (
	mediaType   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(;.*)?$`)
	languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)
	number      = regexp.MustCompile(`^[0-9]+$`)
	// rfc3339 is the syntax of RFC 4287 and JSON Feed. Go accepts slightly more.
	rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)
)

// match reports a value without the form of pattern, which is called kind.
func (c *checker) match(place, s string, pattern *regexp.Regexp, kind string) {
	if !pattern.MatchString(s) {
		c.fault(place, "%.80q is not a %s", s, kind)
	}
}

func (c *checker) media(place, s string)    { c.match(place, s, mediaType, "media type") }
func (c *checker) language(place, s string) { c.match(place, s, languageTag, "language tag") }
func (c *checker) digits(place, s string)   { c.match(place, s, number, "whole number") }

// address reports anything but an absolute http or https URL of allowed characters (RFC 3986 section 2).
func (c *checker) address(place, s string) {
	if u, err := url.Parse(s); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		c.fault(place, "%.80q is not an absolute http or https URL", s)
		return
	}
	c.iri(place, s)
}

// iri reports anything but an absolute IRI (RFC 3987).
func (c *checker) iri(place, s string) {
	if u, err := url.Parse(s); err != nil || u.Scheme == "" || u.Opaque+u.Host+u.Path == "" {
		c.fault(place, "%.80q is not an absolute IRI", s)
	} else if strings.ContainsAny(s, " \"<>\\^`{|}\t\r\n") {
		c.fault(place, "%.80q has characters that an address cannot contain", s)
	}
}

// date822 reports anything but an RFC 822 date with a four-digit year and the right day of the week, as RSS 2.0 requires.
func (c *checker) date822(place, s string) {
	for _, layout := range []string{
		"Mon, 02 Jan 2006 15:04:05 -0700", "Mon, 02 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST",
		"Mon, 02 Jan 2006 15:04 -0700", "02 Jan 2006 15:04:05 -0700", "02 Jan 2006 15:04:05 MST",
	} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if strings.HasPrefix(layout, "Mon") && t.Format("Mon") != s[:3] {
			c.fault(place, "%q was a %s", s, t.Format("Mon"))
		}
		zone := s[strings.LastIndexByte(s, ' ')+1:]
		if strings.HasSuffix(layout, "MST") && !slices.Contains([]string{"GMT", "UT", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT"}, zone) {
			c.fault(place, "%q has a time zone that RFC 822 does not define", s)
		}
		c.plausible(place, t)
		return
	}
	c.fault(place, "%.60q is not a date of RFC 822", s)
}

func (c *checker) date3339(place, s string) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || !rfc3339.MatchString(s) {
		c.fault(place, "%.60q is not a date of RFC 3339", s)
		return
	}
	c.plausible(place, t)
}

func (c *checker) plausible(place string, t time.Time) {
	if t.Year() <= 1 || t.Year() > 9999 {
		c.fault(place, "the year %d is not plausible", t.Year())
	}
}

func (c *checker) mail(place, s string) {
	if a, err := mail.ParseAddress(s); err != nil || !strings.Contains(a.Address, ".") {
		c.fault(place, "%.80q is not a mail address", s)
	}
}

// markup checks HTML in a feed: tags closed in order, absolute addresses, nothing executable.
func (c *checker) markup(place, fragment string) {
	var open []string
	z := html.NewTokenizer(strings.NewReader(fragment))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if len(open) > 0 {
				c.fault(place, "does not close <%s>", open[len(open)-1])
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			c.tag(place, t)
			if kind == html.StartTagToken && !hypertext.Void[t.DataAtom] {
				open = append(open, t.Data)
			}
		case html.EndTagToken:
			name := z.Token().Data
			if len(open) == 0 || open[len(open)-1] != name {
				c.fault(place, "closes <%s>, which is not the innermost open element", name)
				return
			}
			open = open[:len(open)-1]
		}
	}
}

func (c *checker) tag(place string, t html.Token) {
	switch t.Data {
	case "script", "style", "object", "embed", "applet", "base", "form", "meta", "link":
		c.fault(place, "has <%s>, which readers remove", t.Data)
	}
	for _, a := range t.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on") || a.Key == "style":
			c.fault(place, "has the attribute %s, which readers remove", a.Key)
		case a.Key == "src" || a.Key == "href" || a.Key == "poster" || a.Key == "cite":
			if u, err := url.Parse(a.Val); err != nil || !u.IsAbs() {
				c.fault(place, "has the relative address %.80q", a.Val)
			}
		}
	}
}
