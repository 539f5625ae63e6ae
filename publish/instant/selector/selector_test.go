package selector_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

// matches returns the ids of the elements that a selector matches, in document order.
func matches(t *testing.T, s *selector.Selector, page string) string {
	t.Helper()
	p, err := hypertext.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	var ids strings.Builder
	for n := range p.Root.Descendants() {
		if s.Match(n) {
			ids.WriteString(hypertext.Attr(n, "id"))
		}
	}
	return ids.String()
}

func TestMatch(t *testing.T) {
	const page = `<div class="a"><p id="1" class="x y">1</p><p id="2">2<b id="3">3</b></p></div>` +
		`<div><section class="a"><div><p id="4" title="it's" data-k>4</p></div></section><p id="5" class="yx">5</p></div>`
	for source, want := range map[string]string{
		"p": "1245", ".x": "1", "p.y": "1", "p.x.y": "1", "*.x": "1", "P": "1245", "b": "3", ".z": "",
		".a p": "124", ".a > p": "12", ".a>p": "12", "div .a p": "4", "div .a > div p": "4", "p b": "3", "div p + p": "2", "p+p": "2",
		"b , .x": "13", "p[title]": "4", `p[title="it's"]`: "4", "p[class^='x']": "1", "p:not(.x)": "245", "p:not([id='2'])": "145",
		"#5": "5", "div > div > p": "", ".a div > p": "4", "div.a p, section p": "124",
		"//p": "1245", "//p[@title]": "4", "//p[@class='x y']": "1", "//p[contains(@class,'x')]": "15", "//div/p": "1245",
		"//section//p": "4", "//section/p": "", "//p/b": "3", "//p[b]": "2", "//p[not(b)]": "145", "//p[b or @title]": "24",
		"//p[@class and not(contains(@class,'yx'))]": "1", "//div[section]/p": "5", "//*[@id='5']": "5", "/div/p": "125", "/p": "",
		`//p[@title="it's"]`: "4", "//p[starts-with(@class,'y')]": "5", "//div[section[@class='a']]/p": "5", "//p[@data-k][@title]": "4",
	} {
		t.Run(source, func(t *testing.T) {
			s, err := selector.Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			if got := matches(t, s, page); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestParseRefusesUnsupportedSelectors(t *testing.T) {
	for source, want := range map[string]string{
		" ": "empty", "> p": "lacks an element", "p >": "lacks an element", "p > + p": "lacks an element", "p ~ p": "later siblings",
		"p[": "EOF", "p[a~=b] ~": "", "p:hover": "pseudo-class :hover", ":has(b)": "pseudo-class :has", "p:not(a b)": "",
		"p[a#=b]": "regular expressions", "//p[position()=1]": "positions such as [1]", "//p[1]": "positions such as [1]",
		"//div[@a]/p[ 2 ]/b": "positions such as [1]", "//p[last()]": "positions such as [1]", "(//p)[1]": "positions such as [1]",
		"//p[not(position() < 3)]": "positions such as [1]", "//p[@a and 1]": "positions such as [1]", "//p[9999999999]": "takes the first match",
		"//p/ancestor::div": "axis", "//": "too early",
		"//p/@a/b": "unsupported at", "//p[": "too early", strings.Repeat("p ", 600): "more than 1000 bytes",
		"//p" + strings.Repeat("[not(p", 9): "more than 8 deep",
	} {
		if _, err := selector.Parse(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", source, err, want)
		}
	}
}

func TestKeysAndAttribute(t *testing.T) {
	for source, want := range map[string]string{
		"p, .a b.c, p.c": "p .c", "[x]": "", "*": "", "//a/b[c]": "b", "//img/@src": "img @src", "//p/text()": "p",
	} {
		s := selector.MustParse(source)
		got := strings.Join(s.Keys, " ")
		if s.Attribute != "" {
			got += " @" + s.Attribute
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// Backtracking takes hours on these pages; 20 s is enough for a loaded machine with the race detector.
func TestMatchIsLinearInDepth(t *testing.T) {
	p, err := hypertext.Parse(strings.Repeat("<div class='b c'>", 250) + strings.Repeat("<p>x</p>", 6000))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, source := range []string{".a .b .c p", "x div div div div p", "x > div div > div div p", "p + p + p + x", "//x//div//div//div//p[not(b[c])]"} {
		s := selector.MustParse(source)
		for n := range p.Root.Descendants() {
			if n.Type == html.ElementNode && s.Match(n) {
				t.Fatalf("%s matches", source)
			}
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}
