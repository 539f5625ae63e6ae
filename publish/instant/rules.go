package instant

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

// Rules is an ordered list of rules that map elements of a source's HTML to elements of Instant Articles. It is immutable and
// safe for concurrent use.
//
// The file format is that of Facebook's Instant Articles SDK, so publishers can use their existing files;
// docs/reference/transformer.md describes it. The built-in rules are a file of the same format.
type Rules struct {
	style   string // article style; empty if the file sets none
	ad      frame  // in the header; the zero value means none
	tracker frame  // at the end of the article; likewise

	own     []*rule // without the built-in ones
	index   map[string][]*rule
	scripts map[string]bool // in fragments of rules, by address or text
	digest  string
}

// rule maps the elements that match selects to one class.
type rule struct {
	class      *class
	selector   string             // match as written
	match      *selector.Selector // never nil
	contains   *selector.Selector // must match a descendant; nil if there is no such condition
	properties map[string]*getter
	builtin    bool

	order int // rules with a higher order win
}

//go:embed builtin.json
var builtinFile []byte

// builtinRules returns the rules that apply if no other rule does.
var builtinRules = sync.OnceValue(func() *Rules {
	own, warnings, err := parseRulesFile(builtinFile)
	if err != nil || len(warnings) > 0 {
		panic(fmt.Sprintf("builtin.json: %v %q", err, warnings))
	}
	for _, r := range own.own {
		r.builtin = true
	}
	return compile(own, &Rules{}, nil)
})

// ParseRules reads a rules file of at most 1 MiB and 2,000 rules. Its last rule has the highest priority, the built-in rules have
// the lowest. Rules that cannot be used are skipped and listed in warnings.
//
// Errors: feed.ErrInvalid, with line and column, if data is not JSON of the right form.
func ParseRules(data []byte) (set *Rules, warnings []string, err error) {
	own, warnings, err := parseRulesFile(data)
	if err != nil {
		return nil, warnings, fmt.Errorf("parse rules: %w", err)
	}
	own.digest = fmt.Sprintf("%x", sha256.Sum256(data))
	return compile(own, &Rules{}, builtinRules().own), warnings, nil
}

// Before returns a set with the rules of s before those of general, which may be nil.
func (s *Rules) Before(general *Rules) *Rules {
	if general == nil {
		return s
	}
	return compile(s, general, builtinRules().own)
}

// MapsPage reports whether a rule of s may map a whole page, whose content must then be the page with its head.
func (s *Rules) MapsPage() bool {
	return s != nil && slices.ContainsFunc(s.own, func(r *rule) bool { return r.class.name == "GlobalRule" })
}

// Digest identifies the files of s. It is empty for nil, which stands for the built-in rules.
func (s *Rules) Digest() string {
	if s == nil {
		return ""
	}
	return s.digest
}

// compile joins and indexes the rules of own, general and base, which have priority in this order.
func compile(own, general *Rules, base []*rule) *Rules {
	s := &Rules{
		style: cmp.Or(own.style, general.style), ad: cmp.Or(own.ad, general.ad), tracker: cmp.Or(own.tracker, general.tracker),
		own: slices.Concat(general.own, own.own), index: make(map[string][]*rule), scripts: make(map[string]bool),
		digest: own.digest + general.digest,
	}
	for i, r := range slices.Backward(slices.Concat(base, s.own)) {
		ordered := *r
		ordered.order = i
		for _, key := range r.match.Keys {
			s.index[key] = append(s.index[key], &ordered)
		}
		for _, g := range r.properties {
			s.addScripts(g)
		}
	}
	return s
}

// candidates returns the rules that may match n, highest priority first.
func (b *builder) candidates(n *html.Node) []*rule {
	classes := hypertext.Attr(n, "class")
	key := n.Data + " " + classes
	if list, ok := b.cache[key]; ok {
		return list
	}
	list := slices.Concat(b.rules.index[""], b.rules.index[n.Data])
	for name := range strings.FieldsSeq(classes) {
		list = append(list, b.rules.index["."+name]...)
	}
	slices.SortFunc(list, func(one, other *rule) int { return other.order - one.order })
	list = slices.Compact(list)
	if len(b.cache) < maxCached && len(key) < 200 {
		b.cache[key] = list
	}
	return list
}

const maxCached = 4096 // entries of builder.cache

func (s *Rules) addScripts(g *getter) {
	for _, n := range g.fragment {
		for c := n; c != nil; c = hypertext.Following(c, n) {
			if c.Data == "script" && c.Type == html.ElementNode {
				s.scripts[scriptKey(c)] = true
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
