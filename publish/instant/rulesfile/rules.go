// Package rulesfile reads rules files, which map the markup of a publisher to elements of Instant Articles. Their format is that of
// Facebook's Instant Articles SDK, so publishers can use their existing files; docs/reference/transformer.md describes it.
package rulesfile

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

// Rules is an ordered list of rules. It is immutable and safe for concurrent use. The built-in rules are a file of the same
// format.
type Rules struct {
	Style   string          // article style; empty if the file sets none
	Ad      Frame           // in the header; the zero value means none
	Tracker Frame           // at the end of the article; likewise
	Scripts map[string]bool // in fragments of rules, by address or text

	own    []*Rule // without the built-in ones
	index  map[string][]*Rule
	digest string
}

// Frame is an iframe with either an address or content.
type Frame struct{ Src, Width, Height, Inner string }

// Rule maps the elements that Match selects to one class.
type Rule struct {
	Class      string             // without a namespace
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
var Builtin = sync.OnceValue(func() *Rules {
	own, warnings, err := parse(builtinFile)
	if err != nil || len(warnings) > 0 {
		panic(fmt.Sprintf("builtin.json: %v %q", err, warnings))
	}
	for _, r := range own.own {
		r.Builtin = true
	}
	return compile(own, &Rules{}, nil)
})

// Parse reads a rules file of at most 1 MiB and 2,000 rules. Its last rule has the highest priority, the built-in rules have
// the lowest. Rules that cannot be used are skipped and listed in warnings.
//
// Errors: feed.ErrInvalid, with line and column, if data is not JSON of the right form.
func Parse(data []byte) (set *Rules, warnings []string, err error) {
	own, warnings, err := parse(data)
	if err != nil {
		return nil, warnings, fmt.Errorf("parse rules: %w", err)
	}
	own.digest = fmt.Sprintf("%x", sha256.Sum256(data))
	return compile(own, &Rules{}, Builtin().own), warnings, nil
}

// Before returns a set with the rules of s before those of general, which may be nil.
func (s *Rules) Before(general *Rules) *Rules {
	if general == nil {
		return s
	}
	return compile(s, general, Builtin().own)
}

// MapsPage reports whether a rule of s may map a whole page, whose content must then be the page with its head.
func (s *Rules) MapsPage() bool {
	return s != nil && slices.ContainsFunc(s.own, func(r *Rule) bool { return r.Class == "GlobalRule" })
}

// Digest identifies the files of s. It is empty for nil, which stands for the built-in rules.
func (s *Rules) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// compile joins and indexes the rules of own, general and base, which have priority in this order.
func compile(own, general *Rules, base []*Rule) *Rules {
	s := &Rules{
		Style: cmp.Or(own.Style, general.Style), Ad: cmp.Or(own.Ad, general.Ad), Tracker: cmp.Or(own.Tracker, general.Tracker),
		own: slices.Concat(general.own, own.own), index: make(map[string][]*Rule), Scripts: make(map[string]bool),
		digest: own.digest + general.digest,
	}
	for i, r := range slices.Backward(slices.Concat(base, s.own)) {
		ordered := *r
		ordered.order = i
		for _, key := range r.Match.Keys {
			s.index[key] = append(s.index[key], &ordered)
		}
		for _, g := range r.Properties {
			s.addScripts(g)
		}
	}
	return s
}

// Candidates returns the rules that may match an element, highest priority first. classes are separated by white space.
func (s *Rules) Candidates(tag, classes string) []*Rule {
	list := slices.Concat(s.index[""], s.index[tag])
	for name := range strings.FieldsSeq(classes) {
		list = append(list, s.index["."+name]...)
	}
	slices.SortFunc(list, func(one, other *Rule) int { return other.order - one.order })
	return slices.Compact(list)
}

func (s *Rules) addScripts(g *Getter) {
	for _, n := range g.Nodes {
		for c := n; c != nil; c = hypertext.Following(c, n) {
			if c.Data == "script" && c.Type == html.ElementNode {
				s.Scripts[scriptKey(c)] = true
			}
		}
	}
	for i := range g.Children {
		s.addScripts(&g.Children[i])
	}
}

// scriptKey returns the address of a script, or its text if it has no address.
func scriptKey(n *html.Node) string {
	if src := hypertext.Attr(n, "src"); src != "" || n.FirstChild == nil {
		return src
	}
	return n.FirstChild.Data
}
