package feed

import (
	"encoding/json"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Fields that a filter can match.
const (
	FilterTitle   = "title"
	FilterContent = "content" // content and summary, HTML
)

// filterTexts returns the texts of each field that a filter can match.
var filterTexts = []struct {
	field string
	texts func(*Entry) []string
}{
	{FilterTitle, func(e *Entry) []string { return []string{e.Title} }},
	{FilterContent, func(e *Entry) []string { return []string{e.Content, e.Summary} }},
	{"link", func(e *Entry) []string { return []string{e.Link} }},
	{"author", func(e *Entry) []string { return e.Authors }},
	{"category", termsAndLabels},
	{"any", func(e *Entry) []string {
		return slices.Concat([]string{e.Title, e.Content, e.Summary, e.Link}, e.Authors, termsAndLabels(e))
	}},
}

// FilterFields returns all fields.
func FilterFields() []string {
	fields := make([]string, len(filterTexts))
	for i, f := range filterTexts {
		fields[i] = f.field
	}
	return fields
}

// Bounds of the filters of one source. The time of a match is proportional to the size of the text and that of the compiled
// expression, which repetitions such as (a{100}){100} make large.
const (
	maxFilters     = 32       // of each list
	maxPattern     = 512      // bytes of an expression
	maxProgram     = 1000     // instructions of a compiled expression
	maxFilterInput = 64 << 10 // bytes of a field that are matched
)

// Filter is an expression for a field of an entry.
type Filter struct {
	Field string `json:"field"` // one of FilterFields
	Match string `json:"match"` // RE2; matches anywhere in the text
}

// ParseFilter parses "title=(?i)ferry". Filters.Compile checks the field and the expression.
func ParseFilter(s string) (Filter, error) {
	field, match, ok := strings.Cut(s, "=")
	if !ok {
		return Filter{}, fmt.Errorf("%w filter %.64q: write field=expression, as title=ferry", ErrInvalid, s)
	}
	return Filter{Field: strings.TrimSpace(field), Match: match}, nil
}

// String returns the filter as ParseFilter parses it.
func (f Filter) String() string { return f.Field + "=" + f.Match }

// Filters select entries: those that match no Block filter and, if there are Keep filters, match one of these. The zero value
// selects all.
type Filters struct {
	Keep  []Filter `json:"keep,omitempty"`
	Block []Filter `json:"block,omitempty"`
}

// IsZero reports whether there are no filters.
func (f Filters) IsZero() bool { return len(f.Keep)+len(f.Block) == 0 }

// String returns the filters as JSON, or "".
func (f Filters) String() string {
	if f.IsZero() {
		return ""
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(f) // cannot fail
	return strings.TrimSuffix(text.String(), "\n")
}

// ParseFilters parses what String returns. It does not compile the filters.
func ParseFilters(s string) (Filters, error) {
	var f Filters
	if s == "" {
		return f, nil
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return Filters{}, fmt.Errorf("%w filters: %w", ErrInvalid, err)
	}
	return f, nil
}

// CompiledFilters is compiled Filters.
type CompiledFilters struct {
	keep, block []rule
}

type rule struct {
	Filter
	texts      func(*Entry) []string
	expression *regexp.Regexp
}

// Compile checks and compiles the filters. The error is ErrInvalid.
func (f Filters) Compile() (*CompiledFilters, error) {
	keep, err := compile("keep", f.Keep)
	if err != nil {
		return nil, err
	}
	block, err := compile("block", f.Block)
	if err != nil {
		return nil, err
	}
	return &CompiledFilters{keep, block}, nil
}

func compile(list string, filters []Filter) ([]rule, error) {
	if len(filters) > maxFilters {
		return nil, fmt.Errorf("%w %s: %d filters, at most %d are allowed", ErrInvalid, list, len(filters), maxFilters)
	}
	rules := make([]rule, len(filters))
	for i, f := range filters {
		var err error
		if rules[i], err = f.compile(); err != nil {
			return nil, fmt.Errorf("%w %s filter %d: %w", ErrInvalid, list, i+1, err)
		}
	}
	return rules, nil
}

func (f Filter) compile() (rule, error) {
	at := slices.Index(FilterFields(), f.Field)
	switch {
	case at < 0:
		return rule{}, fmt.Errorf("there is no field %.32q; there are: %s", f.Field, strings.Join(FilterFields(), ", "))
	case f.Match == "":
		return rule{}, fmt.Errorf("the expression for %s is empty", f.Field)
	case len(f.Match) > maxPattern:
		return rule{}, fmt.Errorf("the expression has %d bytes, at most %d are allowed", len(f.Match), maxPattern)
	}
	parsed, err := syntax.Parse(f.Match, syntax.Perl)
	if err != nil {
		return rule{}, fmt.Errorf("%q cannot be parsed: %w", f.Match, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return rule{}, fmt.Errorf("%q cannot be compiled: %w", f.Match, err)
	}
	if len(program.Inst) > maxProgram {
		return rule{}, fmt.Errorf("%q repeats too much; use smaller numbers in {}", f.Match)
	}
	expression, err := regexp.Compile(f.Match)
	return rule{f, filterTexts[at].texts, expression}, err
}

// Match reports whether the filters select an entry, and otherwise why not.
func (s *CompiledFilters) Match(e *Entry) (selected bool, reason string) {
	for _, r := range s.block {
		if r.matches(e) {
			return false, "blocked by " + r.String()
		}
	}
	if len(s.keep) == 0 || slices.ContainsFunc(s.keep, func(r rule) bool { return r.matches(e) }) {
		return true, ""
	}
	return false, "no keep filter matches"
}

func (r rule) matches(e *Entry) bool {
	return slices.ContainsFunc(r.texts(e), func(text string) bool {
		return r.expression.MatchString(text[:min(len(text), maxFilterInput)])
	})
}

// termsAndLabels returns the terms and the labels of the entry's categories.
func termsAndLabels(e *Entry) (all []string) {
	for _, c := range e.categories() {
		all = append(all, c.Term)
		if c.Label != "" {
			all = append(all, c.Label)
		}
	}
	return all
}
