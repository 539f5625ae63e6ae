package feed

import (
	"encoding/json"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// The parts of an entry that a filter can look at.
const (
	FilterTitle    = "title"
	FilterContent  = "content" // content and summary, as HTML
	FilterLink     = "link"
	FilterAuthor   = "author"   // each author by itself
	FilterCategory = "category" // each category by itself
	FilterAny      = "any"      // each of the above
)

// FilterFields lists all of them.
func FilterFields() []string {
	return []string{FilterTitle, FilterContent, FilterLink, FilterAuthor, FilterCategory, FilterAny}
}

// The bounds of the filters of one source. The time of a match grows with the text times the size of the compiled
// expression, which repetitions such as (a{100}){100} can make large in few bytes.
const (
	maxFilters     = 32       // keep and block each
	maxPattern     = 512      // bytes of an expression
	maxProgram     = 1000     // instructions of a compiled expression
	maxFilterInput = 64 << 10 // bytes that are looked at of one part
)

// Filter is an expression over a part of an entry.
type Filter struct {
	Field string `json:"field"` // one of FilterFields
	Match string `json:"match"` // RE2; matches anywhere in the text
}

// ParseFilter reads "title=(?i)ferry". Whether the parts make sense Filters.Compile tells.
func ParseFilter(s string) (Filter, error) {
	field, match, ok := strings.Cut(s, "=")
	if !ok {
		return Filter{}, fmt.Errorf("%w filter %.64q: write field=expression, as title=ferry", ErrInvalid, s)
	}
	return Filter{Field: strings.TrimSpace(field), Match: match}, nil
}

// String is the filter as ParseFilter reads it.
func (f Filter) String() string { return f.Field + "=" + f.Match }

// Filters decide which entries of a source are taken: those that no Block filter matches, and where there are Keep
// filters only those that one of them matches. The zero Filters take everything.
type Filters struct {
	Keep  []Filter `json:"keep,omitempty"`
	Block []Filter `json:"block,omitempty"`
}

// IsZero reports whether everything is taken.
func (f Filters) IsZero() bool { return len(f.Keep)+len(f.Block) == 0 }

// String is the JSON form; empty for none.
func (f Filters) String() string {
	if f.IsZero() {
		return ""
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(f) // strings cannot fail
	return strings.TrimSuffix(text.String(), "\n")
}

// ParseFilters reads what String wrote. It does not compile them.
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

// Sieve is compiled Filters.
type Sieve struct {
	keep, block []rule
}

type rule struct {
	Filter
	expression *regexp.Regexp
}

// Compile checks and compiles the filters. ErrInvalid says which one is wrong and why.
func (f Filters) Compile() (*Sieve, error) {
	keep, err := compile("keep", f.Keep)
	if err != nil {
		return nil, err
	}
	block, err := compile("block", f.Block)
	if err != nil {
		return nil, err
	}
	return &Sieve{keep, block}, nil
}

func compile(list string, filters []Filter) ([]rule, error) {
	if len(filters) > maxFilters {
		return nil, fmt.Errorf("%w %s: %d filters, at most %d are allowed", ErrInvalid, list, len(filters), maxFilters)
	}
	rules := make([]rule, len(filters))
	for i, f := range filters {
		expression, err := f.compile()
		if err != nil {
			return nil, fmt.Errorf("%w %s filter %d: %w", ErrInvalid, list, i+1, err)
		}
		rules[i] = rule{f, expression}
	}
	return rules, nil
}

func (f Filter) compile() (*regexp.Regexp, error) {
	switch {
	case !slices.Contains(FilterFields(), f.Field):
		return nil, fmt.Errorf("there is no field %.32q; there are: %s", f.Field, strings.Join(FilterFields(), ", "))
	case f.Match == "":
		return nil, fmt.Errorf("the expression for %s is empty", f.Field)
	case len(f.Match) > maxPattern:
		return nil, fmt.Errorf("the expression has %d bytes, at most %d are allowed", len(f.Match), maxPattern)
	}
	parsed, err := syntax.Parse(f.Match, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", f.Match, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("%q cannot be compiled: %w", f.Match, err)
	}
	if len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("%q repeats too much; use smaller numbers in {}", f.Match)
	}
	return regexp.Compile(f.Match)
}

// Keeps reports whether an entry is taken, and if not by which filter.
func (s *Sieve) Keeps(e *Entry) (kept bool, reason string) {
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
	return slices.ContainsFunc(parts(e, r.Field), func(text string) bool {
		return r.expression.MatchString(text[:min(len(text), maxFilterInput)])
	})
}

// parts are the texts that a filter for field looks at.
func parts(e *Entry, field string) []string {
	switch field {
	case FilterTitle:
		return []string{e.Title}
	case FilterContent:
		return []string{e.Content, e.Summary}
	case FilterLink:
		return []string{e.Link}
	case FilterAuthor:
		return e.Authors
	case FilterCategory:
		return e.categories()
	}
	return append(append([]string{e.Title, e.Content, e.Summary, e.Link}, e.Authors...), e.categories()...)
}

// categories are those of the field "categories", each by its term and its label: a JSON list, or one text.
func (e *Entry) categories() []string {
	text := e.Extra["categories"]
	var list []struct{ Term, Label string }
	switch {
	case text == "":
		return nil
	case json.Unmarshal([]byte(text), &list) != nil:
		return []string{text}
	}
	var all []string
	for _, c := range list {
		all = append(all, c.Term)
		if c.Label != "" {
			all = append(all, c.Label)
		}
	}
	return all
}
