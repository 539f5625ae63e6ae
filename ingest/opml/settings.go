package opml

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/feedwire/feedwire/store/feed"
)

// space is the namespace of the attributes that only feedwire writes.
const space = "https://github.com/feedwire/feedwire/ns/opml"

// setting is an attribute that only feedwire writes. Its zero value is omitted.
type setting struct {
	name  string
	value any // a pointer to a field of the source
}

// proxy is the attribute that is written for people and never read.
const proxy = "proxy"

// local is the name of the attribute with the URL of a local source.
const local = "local"

// muted is the name of the attribute of a follow whose entries are not in the timeline.
const muted = "muted"

// settings lists the attributes in the order in which they are written. The attribute feeds, whose empty value is a
// choice, is not among them.
func settings(s *feed.Source) []setting {
	return []setting{
		{"name", &s.Label}, {"publish", &s.Publish}, {"interval", &s.Interval}, {"minInterval", &s.Request.MinInterval}, {"timeout", &s.Request.Timeout},
		{"keepEntries", &s.Keep.Entries}, {"keepFor", (*time.Duration)(&s.Keep.For)}, {"ignoreUpdates", &s.IgnoreUpdates},
		{"timestamp", &s.Timestamp}, {proxy, &s.Request.Proxy}, {"paused", &s.Paused}, {"filters", &s.Filters},
	}
}

// set reads a text that is not empty. The error says what to write instead.
func (s setting) set(text string) (err error) {
	var hint string
	switch v := s.value.(type) {
	case *feed.PublishMode:
		*v, hint = feed.PublishMode(text), "use auto or manual"
		if *v != feed.PublishAuto && *v != feed.PublishManual {
			err = feed.ErrInvalid
		}
	case *feed.TimestampRule:
		*v, hint = feed.TimestampRule(text), "use source or updated"
		if !v.IsKnown() {
			err = feed.ErrInvalid
		}
	case *string: // the name of a source
		*v, hint = text, fmt.Sprintf("use a text of up to %d bytes without control characters", feed.MaxSourceName)
		if len(text) > feed.MaxSourceName || strings.ContainsFunc(text, unicode.IsControl) {
			err = feed.ErrInvalid
		}
	case *time.Duration:
		hint = "write it like 90s or 1h30m"
		if *v, err = time.ParseDuration(text); *v < 0 {
			err = feed.ErrInvalid
		}
	case *int:
		hint = "use a number"
		if *v, err = strconv.Atoi(text); *v < 0 {
			err = feed.ErrInvalid
		}
	case *bool:
		hint = "use true or false"
		*v, err = strconv.ParseBool(text)
	case *feed.Filters:
		if *v, err = feed.ParseFilters(text); err == nil {
			_, err = v.Compile()
		}
		return err
	}
	if err != nil {
		return fmt.Errorf("is %q; %s", feed.ShortLine(text), hint)
	}
	return nil
}

// text returns the value as set reads it, and "" if it is zero. A proxy has no password.
func (s setting) text() string {
	value := reflect.ValueOf(s.value).Elem()
	if value.IsZero() {
		return ""
	}
	text := fmt.Sprint(value)
	if u, err := url.Parse(text); s.name == proxy && err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return text
}

// proxyIgnored says that an import does not set the proxy of a source: a list may come from anyone, and a proxy sees the
// requests of the source and answers for it.
const proxyIgnored = "its proxy was ignored, because an import cannot set one; set it in the settings of the source"

// applySettings reads the attributes that only feedwire writes, under keys in lower case with the prefix "feedwire:". It
// ignores the proxy.
func applySettings(s *feed.Source, attributes map[string]string) error {
	if feeds, ok := attributes["feedwire:feeds"]; ok {
		s.Feeds = strings.FieldsFunc(feeds, func(r rune) bool { return r == ',' || r == ' ' })
	}
	var errs []error
	for _, setting := range settings(s) {
		text := attributes["feedwire:"+strings.ToLower(setting.name)]
		if text == "" || setting.name == proxy {
			continue
		}
		if err := setting.set(text); err != nil {
			errs = append(errs, fmt.Errorf("feedwire:%s %w", setting.name, err))
		}
	}
	return errors.Join(errs...)
}
