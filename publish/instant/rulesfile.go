package instant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// The bounds of a rules file.
const (
	maxRulesBytes = 1 << 20
	maxRules      = 2000
)

type rulesFile struct {
	Rules     []map[string]json.RawMessage `json:"rules"`
	StyleName string                       `json:"style_name"`
	Ads       struct {
		Placement id     `json:"audience_network_placement_id"`
		Raw       string `json:"raw_html"`
	} `json:"ads"`
	Analytics struct {
		Pixel id     `json:"fb_pixel_id"`
		Raw   string `json:"raw_html"`
	} `json:"analytics"`
}

// id is an identifier, which some write as a number.
type id string

// UnmarshalJSON reads both forms.
func (i *id) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(i))
	}
	var number json.Number
	err := json.Unmarshal(data, &number)
	*i = id(number)
	return err
}

func readFile(data []byte) (*Rules, []string, error) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if len(data) > maxRulesBytes {
		return nil, nil, fmt.Errorf("%w: the rules have more than %d bytes", feed.ErrInvalid, maxRulesBytes)
	}
	var f rulesFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, nil, fmt.Errorf("%w: %s", feed.ErrInvalid, located(data, err))
	}
	switch {
	case len(f.Rules) > maxRules:
		return nil, nil, fmt.Errorf("%w: %d rules, at most %d are allowed", feed.ErrInvalid, len(f.Rules), maxRules)
	case f.Ads.Placement != "" && f.Ads.Raw != "":
		return nil, nil, fmt.Errorf("%w: ads has both audience_network_placement_id and raw_html, keep one", feed.ErrInvalid)
	}
	r := &Rules{style: f.StyleName}
	var warnings []string
	for i, properties := range f.Rules {
		compiled, notes := readRule(properties)
		for _, note := range notes {
			warnings = append(warnings, fmt.Sprintf("rule %d: %s", i+1, note))
		}
		if compiled != nil {
			r.own = append(r.own, compiled)
		}
	}
	r.settings(f)
	return r, warnings, nil
}

// located is the message of a JSON error with its line and column.
func located(data []byte, err error) string {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return err.Error()
	}
	before := data[:max(offset-1, 0)]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, len(before)-bytes.LastIndexByte(before, '\n'), err)
}

// readRule compiles one rule. It is nil where the rule cannot be used; the notes say why, or what of it is ignored.
func readRule(raw map[string]json.RawMessage) (*rule, []string) {
	var name, source, contains string
	for key, to := range map[string]*string{"class": &name, "selector": &source, "containsChild": &contains} {
		if value, ok := raw[key]; ok && json.Unmarshal(value, to) != nil {
			return nil, []string{key + " is not a text"}
		}
		delete(raw, key)
	}
	c, ok := classOf(name)
	if !ok {
		return nil, []string{fmt.Sprintf("class %.60q is unknown, the rule is ignored", name)}
	}
	r := &rule{class: c, selector: source, props: make(map[string]*getter)}
	if c.name == "TextNodeRule" && source == "" {
		return nil, nil // text is always text
	}
	var err error
	if r.at, err = parseSelector(source); err != nil {
		return nil, []string{fmt.Sprintf("selector %.100q: %s, the rule is ignored", source, err)}
	}
	if contains != "" {
		if r.contains, err = parseSelector(contains); err != nil {
			return nil, []string{fmt.Sprintf("containsChild %.100q: %s, the rule is ignored", contains, err)}
		}
	}
	properties := raw
	if inner, ok := raw["properties"]; ok {
		properties = nil
		if err := json.Unmarshal(inner, &properties); err != nil && string(bytes.TrimSpace(inner)) != "[]" {
			return nil, []string{"properties is not an object, the rule is ignored"}
		}
		delete(raw, "properties")
		for key, value := range raw {
			if _, twice := properties[key]; !twice && properties != nil {
				properties[key] = value
			}
		}
	}
	return r, r.readProperties(properties)
}

func (r *rule) readProperties(properties map[string]json.RawMessage) []string {
	var notes []string
	for key, value := range properties {
		g, err := parseGetter(value, 0)
		switch {
		case !r.class.has(key):
			notes = append(notes, fmt.Sprintf("%s has no property %.60q, it is ignored", r.class.name, key))
		case err != nil:
			notes = append(notes, fmt.Sprintf("property %s of %s: %s, it is ignored", key, r.class.name, err))
		default:
			r.props[key] = &g
		}
	}
	slices.Sort(notes)
	return notes
}

// settings turns what a rules file says besides its rules into markup.
func (r *Rules) settings(f rulesFile) {
	switch {
	case f.Ads.Placement != "":
		r.ads = frame{src: "https://www.facebook.com/adnw_request?placement=" + url.QueryEscape(string(f.Ads.Placement)) + "&adtype=banner300x250",
			width: 300, height: 250}.markup()
	case f.Ads.Raw != "":
		r.ads = frame{inner: rawMarkup(f.Ads.Raw)}.markup()
	}
	switch {
	case f.Analytics.Raw != "":
		r.pulse = frame{inner: rawMarkup(f.Analytics.Raw)}.markup()
	case f.Analytics.Pixel != "":
		r.pulse = frame{src: "https://www.facebook.com/tr?id=" + url.QueryEscape(string(f.Analytics.Pixel)) + "&ev=PageView&noscript=1"}.markup()
	}
}

// rawMarkup is markup of the publisher's own, as written, that cannot end the frame it stands in.
func rawMarkup(markup string) string {
	return Clean(strings.TrimSpace(frameEnd.ReplaceAllString(markup, "&lt;/iframe")))
}

var frameEnd = regexp.MustCompile("(?i)</iframe")
