package rulesfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/selector"
	"github.com/feedwire/feedwire/store/feed"
)

// The limits of a file.
const (
	maxBytes = 1 << 20
	maxRules = 2000
)

// file is the JSON form of Rules.
type file struct {
	Rules     []map[string]json.RawMessage `json:"rules"`
	StyleName string                       `json:"style_name"`
	Ads       struct {
		Placement identifier `json:"audience_network_placement_id"`
		Raw       string     `json:"raw_html"`
	} `json:"ads"`
	Analytics struct {
		Pixel identifier `json:"fb_pixel_id"`
		Raw   string     `json:"raw_html"`
	} `json:"analytics"`
}

// identifier is a JSON string or number.
type identifier string

// UnmarshalJSON implements json.Unmarshaler.
func (i *identifier) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(i))
	}
	var number json.Number
	err := json.Unmarshal(data, &number)
	*i = identifier(number)
	return err
}

// parse parses a file into a Rules without an index.
func parse(data []byte) (*Rules, []string, error) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if len(data) > maxBytes {
		return nil, nil, fmt.Errorf("%w: the file has more than %d bytes", feed.ErrInvalid, maxBytes)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, nil, fmt.Errorf("%w: %s", feed.ErrInvalid, located(data, err))
	}
	switch {
	case len(f.Rules) > maxRules:
		return nil, nil, fmt.Errorf("%w: the file has %d rules; at most %d are allowed", feed.ErrInvalid, len(f.Rules), maxRules)
	case f.Ads.Placement != "" && f.Ads.Raw != "":
		return nil, nil, fmt.Errorf("%w: ads has both audience_network_placement_id and raw_html; remove one", feed.ErrInvalid)
	}
	s := &Rules{Style: f.StyleName}
	var warnings []string
	for i, raw := range f.Rules {
		r, notes := parseRule(raw)
		for _, note := range notes {
			warnings = append(warnings, fmt.Sprintf("rule %d: %s", i+1, note))
		}
		if r != nil {
			s.own = append(s.own, r)
		}
	}
	s.Ad.Inner, s.Tracker.Inner = frameContent(f.Ads.Raw), frameContent(f.Analytics.Raw)
	if id := string(f.Ads.Placement); id != "" {
		s.Ad.Src, s.Ad.Width, s.Ad.Height = "https://www.facebook.com/adnw_request?placement="+url.QueryEscape(id)+"&adtype=banner300x250", AdWidth, AdHeight
	}
	if id := string(f.Analytics.Pixel); id != "" && f.Analytics.Raw == "" {
		s.Tracker.Src = "https://www.facebook.com/tr?id=" + url.QueryEscape(id) + "&ev=PageView&noscript=1"
	}
	return s, warnings, nil
}

// located returns the message of a JSON error with its line and column.
func located(data []byte, err error) string {
	offset, reason := int64(-1), err.Error()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset, reason = kind.Offset, fmt.Sprintf("%s must not be a JSON %s", cmp.Or(kind.Field, "the value"), kind.Value)
	}
	if offset < 0 || offset > int64(len(data)) {
		return reason
	}
	before := data[:max(offset-1, 0)]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, len(before)-bytes.LastIndexByte(before, '\n'), reason)
}

// parseRule parses one rule. It returns nil if the rule is skipped, and notes about what is wrong with it.
func parseRule(raw map[string]json.RawMessage) (*Rule, []string) {
	var name, source, contains string
	for key, to := range map[string]*string{"class": &name, "selector": &source, "containsChild": &contains} {
		if value, ok := raw[key]; ok && json.Unmarshal(value, to) != nil {
			return nil, []string{key + " is not a string; the rule is skipped"}
		}
		delete(raw, key)
	}
	class := classNamed(name)
	if class == "" {
		return nil, []string{fmt.Sprintf("unknown class %.60q; the rule is skipped", name)}
	}
	r := &Rule{Class: class, Selector: source, Properties: make(map[string]*Getter)}
	if class == "TextNodeRule" && source == "" {
		return nil, nil // text is always kept
	}
	var err error
	if r.Match, err = selector.Parse(source); err != nil {
		return nil, []string{fmt.Sprintf("selector %.100q: %s; the rule is skipped", source, err)}
	}
	if contains != "" {
		if r.Contains, err = selector.Parse(contains); err != nil {
			return nil, []string{fmt.Sprintf("containsChild %.100q: %s; the rule is skipped", contains, err)}
		}
	}
	if inner, ok := raw["properties"]; ok {
		delete(raw, "properties")
		if err := json.Unmarshal(inner, &raw); err != nil && string(bytes.TrimSpace(inner)) != "[]" { // they win over those in the rule
			return nil, []string{"properties is not an object; the rule is skipped"}
		}
	}
	return r, r.parseProperties(raw)
}

func (r *Rule) parseProperties(properties map[string]json.RawMessage) []string {
	var notes []string
	for key, value := range properties {
		g, err := parseGetter(value)
		switch {
		case !hasProperty(r.Class, key):
			notes = append(notes, fmt.Sprintf("%s has no property %.60q; it is ignored", r.Class, key))
		case err != nil:
			notes = append(notes, fmt.Sprintf("property %s of %s: %s; it is ignored", key, r.Class, err))
		default:
			r.Properties[key] = g
		}
	}
	slices.Sort(notes)
	return notes
}

// The size of an ad that names none: a medium rectangle.
const (
	AdWidth  = "300"
	AdHeight = "250"
)

// frameContent makes raw markup of a publisher safe inside an iframe: it cannot end the iframe.
func frameContent(raw string) string {
	return hypertext.Clean(strings.TrimSpace(frameEnd.ReplaceAllString(raw, "&lt;/iframe")))
}

var frameEnd = regexp.MustCompile("(?i)</iframe")
