package blocklist

import (
	"slices"
	"strings"
	"testing"
)

func TestWordsAreWholeAndFolded(t *testing.T) {
	l, err := New([]string{"Casino", "free money", "STRASSE", "für"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"casino": true, "The CASINO!": true, "ｃａｓｉｎｏ": true, "ca\u00adsi\u200bno": true, "free\n  Money.": true, "Straße": true, "fu\u00ad\u0308r": true,
		"": false, "casinos": false, "occasino": false, "free the money": false, "ca sino": false,
	} {
		if got := l.Word(text); got != want {
			t.Errorf("Word(%q) = %t", text, got)
		}
	}
}

func TestDomainsContainTheirSubdomains(t *testing.T) {
	l, err := New(nil, []string{"spam.example", "Bücher.example"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://spam.example/": true, "http://a.b.SPAM.example.:8080/x": true, "https://good.example@spam.example/": true,
		"https://xn--bcher-kva.example": true, "https://www.BÜCHER.example": true, "https://spam。example/": true, "https://ｓpam.example": true,
		"https://notspam.example/": false, "https://spam.example@good.example/": false, "https://good.example/spam.example": false,
		"https://spam.example.org/": false, "": false, "text": false,
	} {
		if got := l.Domain(address); got != want {
			t.Errorf("Domain(%q) = %t", address, got)
		}
	}
}

func TestRulesThatMatchNothingAreErrors(t *testing.T) {
	for _, rules := range [][2][]string{{{"--"}, nil}, {{""}, nil}, {nil, {""}}, {nil, {"https://a.example/"}}, {nil, {"a.example:80"}},
		{{strings.Repeat("a", MaxRule+1)}, nil}, {slices.Repeat([]string{"a"}, MaxRules+1), nil}} {
		if _, err := New(rules[0], rules[1]); err == nil {
			t.Errorf("New accepts %d words and the domains %q", len(rules[0]), rules[1])
		}
	}
}

func FuzzWord(f *testing.F) {
	f.Add("free money", "x")
	f.Fuzz(func(t *testing.T, word, around string) {
		l, err := New([]string{word}, []string{})
		if err != nil {
			return
		}
		if !l.Word(around + " . " + word + " . " + around) {
			t.Errorf("%q is not found beside %q", word, around)
		}
	})
}
