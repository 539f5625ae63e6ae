// Package rules reads the rules that map elements of a source's HTML to elements of Instant Articles.
//
// The file format is that of Facebook's Instant Articles SDK, so publishers can use their existing files;
// docs/reference/transformer.md describes it. The built-in rules are a file of the same format.
package rules

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // builtin.json
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// Set is an ordered list of rules. It is immutable and safe for concurrent use.
type Set struct {
	Style   string // article style; empty if the file sets none
	Ad      Embed  // in the header
	Tracker Embed  // at the end of the article

	own     []*Rule // without the built-in ones
	index   map[string][]*Rule
	scripts map[string]bool // in fragments of rules, by address or text
	digest  string
}

// Embed is the document of a frame: either a URL or markup. The zero value means no frame.
type Embed struct{ URL, Markup string }

// Rule maps the elements that Match selects to one class.
type Rule struct {
	Class      *Class
	Selector   string             // Match as written
	Match      *selector.Selector // never nil
	Contains   *selector.Selector // must match a descendant; nil if there is no such condition
	Properties map[string]*Getter
	Builtin    bool

	order int // rules with a higher order win
}

//go:embed builtin.json
var builtinFile []byte

// Builtin returns the rules that apply if no other rule does.
func Builtin() *Set { return builtin() }

var builtin = sync.OnceValue(func() *Set {
	own, warnings, err := parseFile(builtinFile)
	if err != nil || len(warnings) > 0 {
		panic(fmt.Sprintf("builtin.json: %v %q", err, warnings))
	}
	for _, r := range own.own {
		r.Builtin = true
	}
	return compile(own, &Set{}, nil)
})

// Parse reads a rules file of at most 1 MiB and 2,000 rules. Its last rule has the highest priority, the built-in rules have
// the lowest. Rules that cannot be used are skipped and listed in warnings.
//
// Errors: feed.ErrInvalid, with line and column, if data is not JSON of the right form.
func Parse(data []byte) (set *Set, warnings []string, err error) {
	own, warnings, err := parseFile(data)
	if err != nil {
		return nil, warnings, fmt.Errorf("parse rules: %w", err)
	}
	own.digest = fmt.Sprintf("%x", sha256.Sum256(data))
	return compile(own, &Set{}, builtin().own), warnings, nil
}

// Before returns a set with the rules of s before those of general, which may be nil.
func (s *Set) Before(general *Set) *Set {
	if general == nil {
		return s
	}
	return compile(s, general, builtin().own)
}

// Digest identifies the files of s. It is empty for nil, which stands for the built-in rules.
func (s *Set) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// compile joins and indexes the rules of own, general and base, which have priority in this order.
func compile(own, general *Set, base []*Rule) *Set {
	s := &Set{
		Style: cmp.Or(own.Style, general.Style), Ad: cmp.Or(own.Ad, general.Ad), Tracker: cmp.Or(own.Tracker, general.Tracker),
		own: slices.Concat(general.own, own.own), index: make(map[string][]*Rule), scripts: make(map[string]bool),
		digest: own.digest + general.digest,
	}
	for i, r := range slices.Backward(slices.Concat(base, s.own)) {
		ordered := *r
		ordered.order = i
		for _, key := range r.Match.Keys() {
			s.index[key] = append(s.index[key], &ordered)
		}
		for _, g := range r.Properties {
			s.addScripts(g)
		}
	}
	return s
}

// Candidates returns the rules that may match an element with a tag and a class attribute, highest priority first.
func (s *Set) Candidates(tag, classes string) []*Rule {
	list := slices.Concat(s.index[""], s.index[tag])
	for name := range strings.FieldsSeq(classes) {
		list = append(list, s.index["."+name]...)
	}
	slices.SortFunc(list, func(one, other *Rule) int { return other.order - one.order })
	return slices.Compact(list)
}

// HasScript reports whether a fragment of a rule contains a script with this address or text.
func (s *Set) HasScript(script string) bool { return s.scripts[script] }

func (s *Set) addScripts(g *Getter) {
	for _, n := range g.Fragment {
		for c := n; c != nil; c = hypertext.Following(c, n) {
			if c.Data == "script" && c.Type == html.ElementNode {
				s.scripts[scriptKey(c)] = true
			}
		}
	}
	for i := range g.Parts {
		s.addScripts(&g.Parts[i])
	}
}

// scriptKey returns the address of a script, or its text if it has no address.
func scriptKey(n *html.Node) string {
	if src := hypertext.Attr(n, "src"); src != "" || n.FirstChild == nil {
		return src
	}
	return n.FirstChild.Data
}
