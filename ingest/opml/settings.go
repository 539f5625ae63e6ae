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
		value("publish", "use auto or manual", func(s *feed.Source) *feed.PublishMode { return &s.Publish }, parsePublish),
		duration("interval", func(s *feed.Source) *time.Duration { return &s.Interval }),
		duration("minInterval", func(s *feed.Source) *time.Duration { return &s.Request.MinInterval }),
		duration("timeout", func(s *feed.Source) *time.Duration { return &s.Request.Timeout }),
		value("keepEntries", "use a number", func(s *feed.Source) *int { return &s.Keep.Entries }, notNegative(strconv.Atoi)),
		duration("keepFor", func(s *feed.Source) *time.Duration { return (*time.Duration)(&s.Keep.For) }),
		flag("ignoreUpdates", func(s *feed.Source) *bool { return &s.IgnoreUpdates }),
		{"proxy", proxy, setProxy},
		flag("paused", func(s *feed.Source) *bool { return &s.Paused }),
		{"filters", func(s *feed.Source) string { return s.Filters.String() }, setFilters},
	}
}

// value returns the setting of a field that fmt.Sprint writes and parse reads. Its zero value is omitted.
func value[T comparable](name, hint string, of func(*feed.Source) *T, parse func(string) (T, error)) setting {
	return setting{name, func(s *feed.Source) string {
		if v := *of(s); v != *new(T) {
			return fmt.Sprint(v)
		}
		return ""
	}, func(s *feed.Source, text string) (err error) {
		if *of(s), err = parse(text); err != nil {
			return fmt.Errorf("is %q; %s", feed.ShortLine(text), hint)
		}
		return nil
	}}
}

func duration(name string, of func(*feed.Source) *time.Duration) setting {
	return value(name, "write it like 90s or 1h30m", of, notNegative(time.ParseDuration))
}

func flag(name string, of func(*feed.Source) *bool) setting {
	return value(name, "use true or false", of, strconv.ParseBool)
}

// notNegative returns parse with an error for negative numbers.
func notNegative[T ~int | ~int64](parse func(string) (T, error)) func(string) (T, error) {
	return func(text string) (T, error) {
		n, err := parse(text)
		if n < 0 {
			err = feed.ErrInvalid
		}
		return n, err
	}
}

func parsePublish(text string) (feed.PublishMode, error) {
	mode := feed.PublishMode(text)
	if mode != feed.PublishAuto && mode != feed.PublishManual {
		return mode, feed.ErrInvalid
	}
	return mode, nil
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
