package instant_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// publisher writes random pages and random rules files for them. Each word and each address of a medium, called a token, is
// unique, and each element has an attribute id of its own.
type publisher struct {
	*rand.Rand
	sb     strings.Builder
	tokens int
	ids    int
}

var pageTags = strings.Fields("p p p div div span b i a blockquote aside h1 h2 h3 ul ol li section figure figure figcaption cite pre table " +
	"header footer small address x-card img img img video audio iframe frame")

func (p *publisher) pick(of ...string) string { return of[p.IntN(len(of))] }

// token returns a word with characters that have no raised or lowered form.
func (p *publisher) token() string {
	p.tokens++
	return fmt.Sprintf("W%dQ", p.tokens)
}

// nodes writes up to three nodes.
func (p *publisher) nodes(depth int) {
	for range 1 + p.IntN(3) {
		if depth == 0 || p.IntN(3) == 0 {
			p.sb.WriteString(" " + p.token() + " ")
			continue
		}
		p.element(p.pick(pageTags...), depth)
	}
}

func (p *publisher) element(tag string, depth int) {
	p.ids++
	start := func(name, more string) {
		fmt.Fprintf(&p.sb, `<%s id="e%d"`, name, p.ids)
		if p.IntN(2) == 0 {
			p.sb.WriteString(` class="` + p.pick("c0", "c1", "c2", "c0 c1", "op-tracker", "op-slideshow", "op-interactive") + `"`)
		}
		p.sb.WriteString(more + ">")
	}
	switch tag {
	case "img":
		start("img", ` src="/`+p.token()+`.jpg" title="t"`)
		return
	case "video", "audio":
		start(tag, ` src="/`+p.token()+`.mp4"`)
	case "iframe":
		start(tag, ` src="/`+p.token()+`" width="560" height="315"`)
		p.sb.WriteString("</iframe>")
		return
	case "frame":
		tag = "iframe"
		start(tag, "")
	case "a":
		start(tag, ` href="/link"`)
	case "table":
		start(tag, "")
		fmt.Fprintf(&p.sb, `<tr id="e%dr"><td id="e%[1]da">%[2]s</td><td id="e%[1]db">`, p.ids, p.token())
		p.nodes(0)
		p.sb.WriteString("</td></tr></table>")
		return
	default:
		start(tag, "")
	}
	p.nodes(depth - 1)
	p.sb.WriteString("</" + tag + ">")
}

func (p *publisher) selector() string {
	tag := func() string {
		tag := p.pick(pageTags...)
		if tag == "frame" {
			tag = "iframe"
		}
		return tag
	}
	switch p.IntN(8) {
	case 0:
		return tag() + " " + tag()
	case 1:
		return tag() + " > " + tag()
	case 2:
		return "//" + tag() + "[" + tag() + "]"
	case 3:
		return tag() + "." + p.pick("c0", "c1", "c2")
	case 4:
		return "." + p.pick("c0", "c1", "c2")
	default:
		return tag()
	}
}

// getter returns a random getter. One for an address does not invent one: the medium of the page would be replaced.
func (p *publisher) getter(property string, depth int) map[string]any {
	kinds := []string{"string", "string", "string", "element", "children", "sibling", "next-sibling-element-of", "xpath"}
	url := strings.HasSuffix(property, "url")
	if !url {
		kinds = append(kinds, "constant", "fragment", "exists", "int")
	}
	if depth == 0 && !url {
		kinds = append(kinds, "multiple")
	}
	g := map[string]any{"type": p.pick(kinds...)}
	if p.IntN(2) == 0 {
		g["selector"] = p.selector()
	}
	if url {
		g["attribute"] = p.pick("src", "src", "data-none")
	} else if p.IntN(3) == 0 {
		g["attribute"] = p.pick("title", "data-none")
	}
	switch g["type"] {
	case "constant":
		g["value"] = "constant"
	case "fragment":
		g["fragment"] = "<b>fragment</b>"
	case "multiple":
		g["children"] = []any{p.getter(property, 1), p.getter(property, 1)}
	}
	return g
}

// rules returns a rules file.
func (p *publisher) rules() []byte {
	var list []any
	for range 1 + p.IntN(4) {
		class := rulesfile.Classes[p.IntN(len(rulesfile.Classes))]
		rule := map[string]any{"class": class.Name, "selector": p.selector()}
		if p.IntN(5) == 0 {
			rule["containsChild"] = p.selector()
		}
		for _, property := range strings.Fields(class.Properties) {
			if p.IntN(2) == 0 {
				rule[property] = p.getter(property, 0)
			}
		}
		list = append(list, rule)
	}
	file, err := json.MarshalIndent(map[string]any{"rules": list}, "", " ")
	if err != nil {
		panic(err) // the types are those of JSON
	}
	return file
}

var (
	tokens    = regexp.MustCompile(`W\d+Q`)
	pageTitle = regexp.MustCompile(`<title>.*</title>`)
	anyTag    = regexp.MustCompile(`<[^>]*>`)
	mediaTag  = regexp.MustCompile(`<(?:img|video|audio|source|iframe)\s[^>]*?src="[^"]*`)
	elementID = regexp.MustCompile(`id="(e\d+\w?)"`)
)

// count returns how often each token is in a document, as text or as the address of a medium. Text that is only in another
// attribute, such as the title of a list, counts once.
func count(document string) map[string]int {
	found := make(map[string]int)
	document = pageTitle.ReplaceAllString(document, "")
	for _, token := range tokens.FindAllString(anyTag.ReplaceAllString(document, " "), -1) {
		found[token]++
	}
	for _, tag := range mediaTag.FindAllString(document, -1) {
		for _, token := range tokens.FindAllString(tag, -1) {
			found[token]++
		}
	}
	for _, token := range tokens.FindAllString(document, -1) {
		found[token] = max(found[token], 1)
	}
	return found
}

// With any rules file, the text and the media of a page are in the document once or named by a warning, never both, and the
// document is valid.
func TestAnyRulesKeepEachTokenOnce(t *testing.T) {
	for n := range uint64(2000) {
		checkAnyRules(t, 1, n)
	}
}

// FuzzAnyRules continues TestAnyRulesKeepEachTokenOnce.
func FuzzAnyRules(f *testing.F) {
	f.Add(uint64(2), uint64(0))
	f.Fuzz(func(t *testing.T, seed, n uint64) { checkAnyRules(t, seed, n) })
}

func checkAnyRules(t *testing.T, seed, n uint64) {
	t.Helper()
	p := &publisher{Rand: rand.New(rand.NewPCG(seed, n))}
	p.nodes(1 + int(n%5))
	content, rules := p.sb.String()+"<p>the end</p>", p.rules()
	if fault := ruleFault(t, content, rules); fault != "" {
		t.Fatalf("seed %d, page %d: %s\n%s\n%s", seed, n, fault, content, rules)
	}
}

// ruleFault returns what is wrong with the document that rules make of a page; empty if nothing is.
func ruleFault(t *testing.T, content string, rules []byte) string {
	t.Helper()
	set, notes, err := rulesfile.Parse(rules)
	if err != nil {
		t.Fatalf("%v %q", err, notes)
	}
	document, warnings, err := transform(article(content), instant.Options{Rules: set})
	if errors.Is(err, instant.ErrEmpty) {
		return ""
	}
	if err != nil || len(warnings) >= 100 {
		t.Fatalf("%v, %d warnings", err, len(warnings))
	}
	k := keeper{found: count(document), leftOut: make(map[string]bool), within: make(map[string]int), missing: make(map[string]bool)}
	for _, w := range warnings {
		if id := elementID.FindStringSubmatch(w.Markup); id != nil && (w.Code == "left-out" || w.Code == "ignored") {
			k.leftOut[id[1]] = true
		}
	}
	k.walk(t, content, nil)
	for id := range k.leftOut {
		if k.within[id] > 0 && !k.missing[id] {
			k.fault = id + " is there despite the warning"
		}
	}
	for _, f := range validate.Document(document, validate.Options{}) {
		k.fault = fmt.Sprintf("not valid: %+v", f)
	}
	if k.fault == "" {
		return ""
	}
	_, document, _ = strings.Cut(document, "<article>")
	return fmt.Sprintf("%s\n%s\n%+v", k.fault, document, warnings)
}

// keeper compares a page with its document.
type keeper struct {
	found   map[string]int  // tokens of the document
	leftOut map[string]bool // ids of elements that a warning names
	within  map[string]int  // tokens in each element, by id
	missing map[string]bool // ids of the elements that lost a token
	fault   string
}

// walk compares the tokens of markup, which is inside the elements with the given ids.
func (k *keeper) walk(t *testing.T, markup string, ids []string) {
	t.Helper()
	page, err := hypertext.Parse(markup)
	if err != nil {
		t.Fatal(err)
	}
	for n := range page.Root.Descendants() {
		around := ids
		for at := n; at != nil; at = at.Parent {
			around = append(around[:len(around):len(around)], hypertext.Attr(at, "id"))
		}
		switch {
		case n.Type == html.TextNode && n.Parent.Data == "iframe": // its content is parsed as text
			if hypertext.Attr(n.Parent, "src") == "" {
				k.walk(t, n.Data, around)
			}
		case n.Type == html.TextNode:
			k.compare(n.Data, around)
		default:
			k.compare(hypertext.Attr(n, "src"), around)
		}
	}
}

// compare compares the tokens in text, which is inside the elements with the given ids.
func (k *keeper) compare(text string, ids []string) {
	excused := slices.ContainsFunc(ids, func(id string) bool { return k.leftOut[id] })
	for _, token := range tokens.FindAllString(text, -1) {
		for _, id := range ids {
			k.within[id]++
			k.missing[id] = k.missing[id] || k.found[token] == 0
		}
		if k.found[token] > 1 || k.found[token] == 0 && !excused {
			k.fault = fmt.Sprintf("%s is there %d times without a warning", token, k.found[token])
		}
	}
}
