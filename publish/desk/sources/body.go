package sources

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// sourceBody is the body of POST /api/v1/sources and, without a URL, of PATCH. Missing fields leave the settings of an existing source
// unchanged.
type sourceBody struct {
	URL      string            `json:"url"`
	Name     *string           `json:"name"`     // "": the title of the feed
	Address  *string           `json:"address"`  // to poll; "": the URL
	Feeds    *[]string         `json:"feeds"`    // outgoing feeds; default: production
	Publish  *feed.PublishMode `json:"publish"`  // default: manual
	Interval *string           `json:"interval"` // "30m"; "" or "0s": default of the daemon
	Request  *requestBody      `json:"request"`  // replaces all of its fields

	Filters    *feed.Filters `json:"filters"`
	Categories *[]string     `json:"categories"` // "News/Technology"

	IgnoreUpdates *bool               `json:"ignore_updates"`
	Timestamp     *feed.TimestampRule `json:"timestamp"` // default: source
	Keep          *keepBody           `json:"keep"`      // replaces all of its fields

	About *feed.About `json:"about"` // of a local source; replaces all of its fields
}

const maxAbout = 1000 // bytes of a text about a local source

// localSettings applies what only local sources have, and blames what only polled sources have.
func (b *sourceBody) localSettings(s *feed.Source, blame blame) {
	if !s.Local() {
		if b.About != nil {
			blame("about", "only a local source has it; that of other sources comes from their feeds")
		}
		return
	}
	for _, setting := range []struct {
		field string
		given bool
	}{
		{"interval", s.Interval != 0}, {"request", b.Request != nil}, {"filters", !s.Filters.IsZero()}, {"ignore_updates", s.IgnoreUpdates},
		{"timestamp", s.Timestamp == feed.TimestampUpdated},
	} {
		if setting.given {
			blame(setting.field, "a local source is never polled; omit it")
		}
	}
	if b.About == nil {
		return
	}
	s.About = *b.About
	for _, a := range []struct {
		field string
		text  *string
	}{
		{"about.title", &s.About.Title}, {"about.description", &s.About.Description}, {"about.link", &s.About.Link},
		{"about.language", &s.About.Language},
	} {
		if *a.text = strings.Join(strings.Fields(*a.text), " "); len(*a.text) > maxAbout || strings.ContainsFunc(*a.text, unicode.IsControl) {
			blame(a.field, fmt.Sprintf("use a text of up to %d bytes without control characters", maxAbout))
		}
	}
	for name, value := range s.About.Details() {
		if value != "" {
			blame("about."+strings.TrimPrefix(name, "feed_"), "a local source has title, description, link and language; omit it")
		}
	}
	if _, err := feed.CanonicalURL(s.About.Link); err != nil && s.About.Link != "" {
		blame("about.link", "use an absolute http or https URL")
	}
}

// edit returns the change of name and address for a source with a URL.
func (b *sourceBody) edit(url string, blame blame) (edit feed.SourceEdit) {
	if b.Name != nil {
		name := strings.Join(strings.Fields(*b.Name), " ")
		if len(name) > feed.MaxSourceName || strings.ContainsFunc(name, unicode.IsControl) {
			blame("name", fmt.Sprintf("use a text of up to %d bytes without control characters", feed.MaxSourceName))
		}
		edit.Name = &name
	}
	if b.Address == nil {
		return edit
	}
	address := cmp.Or(strings.TrimSpace(*b.Address), url)
	switch canonical, err := feed.CanonicalURL(address); {
	case feed.IsLocal(url):
		if address != url {
			blame("address", "a local source is never polled; omit it")
		}
	case err != nil:
		blame("address", err.Error())
	default:
		edit.Address = &canonical
	}
	return edit
}

// blame reports that a field is invalid.
type blame func(field, reason string)

// keepBody is feed.Keep.
type keepBody struct {
	Entries int    `json:"entries"`
	For     string `json:"for"` // "720h"
}

func (b *keepBody) parse(blame blame) feed.Keep {
	if b.Entries < 0 || b.Entries > feed.MaxKeepEntries {
		blame("keep.entries", fmt.Sprintf("use a number up to %d, or 0 for the default", feed.MaxKeepEntries))
	}
	return feed.Keep{Entries: b.Entries, For: feed.Duration(parseDuration("keep.for", b.For, feed.MaxKeepFor, blame))}
}

// requestBody is feed.Request.
type requestBody struct {
	Timeout     string            `json:"timeout"`      // "45s"
	MinInterval string            `json:"min_interval"` // "2h"
	Headers     map[string]string `json:"headers"`
	Username    string            `json:"username"`
	Password    string            `json:"password"`
	Proxy       string            `json:"proxy"` // URL, or direct

	secretsFor, cleared string // of feed.Request; set by the page only
}

const maxHeaders = 20 // of one source

func (b *requestBody) parse(blame blame) feed.Request {
	req := feed.Request{
		Headers: b.Headers, Username: b.Username, Password: b.Password, Proxy: b.Proxy, SecretsFor: b.secretsFor, Cleared: b.cleared,
	}
	req.Timeout = parseDuration("request.timeout", b.Timeout, feed.MaxTimeout, blame)
	req.MinInterval = parseDuration("request.min_interval", b.MinInterval, feed.MaxInterval, blame)
	if len(b.Headers) > maxHeaders {
		blame("request.headers", fmt.Sprintf("use at most %d", maxHeaders))
	}
	for name, value := range b.Headers {
		if err := feed.CheckHeader(name, value); err != nil {
			blame("request.headers", err.Error())
		}
	}
	if err := feed.CheckCredentials(b.Username, b.Password); err != nil {
		blame("request.username", err.Error())
	}
	if b.Proxy != "" && b.Proxy != "direct" {
		if err := feed.CheckProxy(b.Proxy); err != nil {
			blame("request.proxy", err.Error())
		}
	}
	return req
}

// parseDuration parses a duration from feed.MinInterval to limit. "" and 0 stand for the default.
func parseDuration(field, s string, limit time.Duration, blame blame) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || (d != 0 && d < feed.MinInterval) || d > limit {
		blame(field, fmt.Sprintf("use a duration from 1s to %s, like 90s or 1h30m, or 0s for the default", web.GoDuration(limit)))
		return 0
	}
	return d
}
