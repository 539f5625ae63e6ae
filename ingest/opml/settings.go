package opml

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// space is the namespace of the attributes that only feedwire writes.
const space = "https://github.com/feedwire/feedwire/ns/opml"

// setting is an attribute that only feedwire writes.
type setting struct {
	name string
	text func(*feed.Source) string        // empty: the attribute is omitted
	set  func(*feed.Source, string) error // of a text that is not empty; the error says what to write instead
}

// settings lists the attributes in the order in which they are written. The attribute feeds, whose empty value is a
// choice, is not among them.
func settings() []setting {
	return []setting{
		{"publish", func(s *feed.Source) string { return string(s.Publish) }, setPublish},
		duration("interval", func(s *feed.Source) *time.Duration { return &s.Interval }),
		duration("minInterval", func(s *feed.Source) *time.Duration { return &s.Request.MinInterval }),
		duration("timeout", func(s *feed.Source) *time.Duration { return &s.Request.Timeout }),
		{"keepEntries", keptEntries, setKeptEntries},
		duration("keepFor", func(s *feed.Source) *time.Duration { return &s.Keep.For }),
		flag("ignoreUpdates", func(s *feed.Source) *bool { return &s.IgnoreUpdates }),
		{"proxy", proxy, setProxy},
		flag("paused", func(s *feed.Source) *bool { return &s.Paused }),
		{"filters", func(s *feed.Source) string { return s.Filters.String() }, setFilters},
	}
}

func duration(name string, of func(*feed.Source) *time.Duration) setting {
	return setting{name, func(s *feed.Source) string {
		if d := *of(s); d != 0 {
			return d.String()
		}
		return ""
	}, func(s *feed.Source, text string) (err error) {
		if *of(s), err = time.ParseDuration(text); err != nil || *of(s) < 0 {
			return fmt.Errorf("is %q; write it like 90s or 1h30m", feed.ShortLine(text))
		}
		return nil
	}}
}

func flag(name string, of func(*feed.Source) *bool) setting {
	return setting{name, func(s *feed.Source) string {
		if *of(s) {
			return "true"
		}
		return ""
	}, func(s *feed.Source, text string) (err error) {
		if *of(s), err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("is %q; use true or false", feed.ShortLine(text))
		}
		return nil
	}}
}

func setPublish(s *feed.Source, text string) error {
	s.Publish = feed.PublishMode(text)
	if s.Publish != feed.PublishAuto && s.Publish != feed.PublishManual {
		return fmt.Errorf("is %q; use auto or manual", feed.ShortLine(text))
	}
	return nil
}

func keptEntries(s *feed.Source) string {
	if s.Keep.Entries == 0 {
		return ""
	}
	return strconv.Itoa(s.Keep.Entries)
}

func setKeptEntries(s *feed.Source, text string) (err error) {
	if s.Keep.Entries, err = strconv.Atoi(text); err != nil || s.Keep.Entries < 0 {
		return fmt.Errorf("is %q; use a number", feed.ShortLine(text))
	}
	return nil
}

// proxy returns the proxy of a source without its password.
func proxy(s *feed.Source) string {
	if u, err := url.Parse(s.Request.Proxy); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return s.Request.Proxy
}

func setProxy(s *feed.Source, text string) error {
	if s.Request.Proxy = text; text == "direct" {
		return nil
	}
	return feed.CheckProxy(text)
}

func setFilters(s *feed.Source, text string) (err error) {
	if s.Filters, err = feed.ParseFilters(text); err == nil {
		_, err = s.Filters.Compile()
	}
	return err
}

// applySettings reads the attributes that only feedwire writes, under keys in lower case with the prefix "feedwire:".
func applySettings(s *feed.Source, attributes map[string]string) error {
	if feeds, ok := attributes["feedwire:feeds"]; ok {
		s.Feeds = strings.FieldsFunc(feeds, func(r rune) bool { return r == ',' || r == ' ' })
	}
	var errs []error
	for _, setting := range settings() {
		text := attributes["feedwire:"+strings.ToLower(setting.name)]
		if text == "" {
			continue
		}
		if err := setting.set(s, text); err != nil {
			errs = append(errs, fmt.Errorf("feedwire:%s %w", setting.name, err))
		}
	}
	return errors.Join(errs...)
}
