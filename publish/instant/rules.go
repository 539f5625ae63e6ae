package instant

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// Rules say which element of a source's HTML becomes what. They do not change once made and may be used by any number
// of goroutines. See docs/transformer.md for the file.
type Rules struct {
	own   []*rule // those of the file, without the built-in ones
	known map[string][]*rule
	style string
	ads   string          // markup of the header's ad; empty: none
	pulse string          // markup of the tracker; empty: none
	allow map[string]bool // scripts that fragments of the rules hold: an embed may have them
	sum   string          // of the files
}

// Digest tells rules apart: those of the same files have the same. nil, the built-in ones alone, has none.
func (r *Rules) Digest() string {
	if r == nil {
		return ""
	}
	return r.sum
}

// rule is one rule, compiled.
type rule struct {
	class    class
	selector string // as written
	at       *selector
	contains *selector // an element that must be within; nil: none
	props    map[string]*getter
	order    int
	builtin  bool
}

//go:embed rules.json
var builtinFile []byte

// builtin are the rules that apply where no other does.
var builtin = sync.OnceValue(func() *Rules {
	own, notes, err := readFile(builtinFile)
	if err != nil || len(notes) > 0 {
		panic(fmt.Sprintf("rules.json: %v %q", err, notes)) // a test reads it first
	}
	for _, r := range own.own {
		r.builtin = true
	}
	return compile(own, nil, nil)
})

// ReadRules is ParseRules of what r holds.
func ReadRules(r io.Reader) (*Rules, []string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRulesBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read rules: %w", err)
	}
	return ParseRules(data)
}

// ParseRules reads a rules file, at most 1 MiB with 2,000 rules. Its rules stand before the built-in ones, the last
// first. What cannot be used (an unknown class, an unsupported selector) is left out and named in the warnings.
// It returns feed.ErrInvalid, with line and column, for a file that is no JSON of the right form.
func ParseRules(data []byte) (rules *Rules, warnings []string, err error) {
	own, warnings, err := readFile(data)
	if err != nil {
		return nil, warnings, fmt.Errorf("parse rules: %w", err)
	}
	own.sum = fmt.Sprintf("%x", sha256.Sum256(data))
	return compile(own, nil, builtin().own), warnings, nil
}

// Before puts the rules of r before those of general: what r says of an element wins. r and general stay as they are.
func (r *Rules) Before(general *Rules) *Rules {
	if general == nil {
		return r
	}
	return compile(r, general, builtin().own)
}

// compile indexes the rules of a file, after those of base and of general.
func compile(own, general *Rules, base []*rule) *Rules {
	joined := *own
	all := slices.Clone(base)
	if general != nil {
		all = append(all, general.own...)
		joined.own = slices.Concat(general.own, own.own)
		joined.style, joined.ads = or(own.style, general.style), or(own.ads, general.ads)
		joined.pulse = or(own.pulse, general.pulse)
		joined.sum = own.sum + general.sum
	}
	all = append(all, own.own...)
	joined.known = make(map[string][]*rule)
	joined.allow = make(map[string]bool)
	for i, r := range slices.Backward(all) {
		ordered := *r
		ordered.order = i
		keys := make(map[string]bool)
		for _, w := range r.at.ways {
			keys[w[len(w)-1].key()] = true
		}
		for key := range keys {
			joined.known[key] = append(joined.known[key], &ordered)
		}
		for _, g := range r.props {
			joined.allowScripts(g)
		}
	}
	return &joined
}

func or(one, other string) string {
	if one != "" {
		return one
	}
	return other
}

// key is what the step is indexed by: its class, or its tag, or nothing.
func (s *step) key() string {
	if s.class != "" {
		return "." + s.class
	}
	return s.tag
}

func (r *Rules) allowScripts(g *getter) {
	for _, n := range g.fragment {
		for c := n; c != nil; c = following(c, n) {
			if c.Data == "script" && c.Type == html.ElementNode {
				r.allow[scriptName(c)] = true
			}
		}
	}
	for i := range g.parts {
		r.allowScripts(&g.parts[i])
	}
}

// scriptName is the address of a script, or its text.
func scriptName(n *html.Node) string {
	if src := attr(n, "src"); src != "" || n.FirstChild == nil {
		return src
	}
	return n.FirstChild.Data
}

// candidates are the rules that may mean n, the one that wins first.
func (b *builder) candidates(n *html.Node) []*rule {
	classes := attr(n, "class")
	key := n.Data + " " + classes
	if list, ok := b.seen[key]; ok {
		return list
	}
	list := slices.Concat(b.rules.known[""], b.rules.known[n.Data])
	for name := range strings.FieldsSeq(classes) {
		list = append(list, b.rules.known["."+name]...)
	}
	slices.SortFunc(list, func(one, other *rule) int { return other.order - one.order })
	list = slices.Compact(list)
	if len(b.seen) < maxSeen && len(key) < 200 {
		b.seen[key] = list
	}
	return list
}

const maxSeen = 4096 // kinds of elements that one document's rules are remembered for
