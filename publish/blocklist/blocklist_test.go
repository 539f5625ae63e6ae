package blocklist

import (
	"net/url"
	"strings"
	"testing"
)

func TestWordsAreWholeAndFolded(t *testing.T) {
	l := New([]string{"Casino", "free money", "STRASSE", "für"}, nil)
	for text, want := range map[string]string{
		"casino": "Casino", "The CASINO!": "Casino", "ｃａｓｉｎｏ": "Casino", "ca\u00adsi\u200bno": "Casino", "çásïnö": "Casino", "c\u0327asino": "Casino",
		"free\n  Money.": "free money", "Straße": "STRASSE", "fu\u00ad\u0308r": "für", "fur": "für", "casino for free money": "Casino",
		"саsinо": "Casino", "ＣАЅΙΝΟ": "Casino", "ᴄᴀꜱɪɴᴏ": "Casino", "cas\u0488ino": "Casino", "c\u20dda\ufe0esi\u1dc4no": "Casino", "ĉаѕıпø": "Casino", "frее mоnеy": "free money",
		"": "", "casinos": "", "occasino": "", "free the money": "", "ca sino": "",
	} {
		if got := l.Word(text); got != want {
			t.Errorf("Word(%q) = %q", text, got)
		}
	}
}

// A word of another script is what it is, unless it cannot be told from a Latin one.
func TestWordsOfOtherScriptsStay(t *testing.T) {
	l := New([]string{"pot", "cam", "xxx", "рот", "Нота", "και"}, nil)
	for text, want := range map[string]string{
		"рот": "рот", "РОТ": "рот", "сам": "", "САМ": "", "ххх": "xxx", "ХХХ": "xxx", "pоt": "pot", "нота": "Нота", "НОТА": "Нота", "ΚΑΙ": "και", "kai": "", "hota": "",
	} {
		if got := l.Word(text); got != want {
			t.Errorf("Word(%q) = %q", text, got)
		}
	}
}

func TestDomainsContainTheirSubdomains(t *testing.T) {
	l := New(nil, []string{"spam.example", "Bücher.example"})
	for address, want := range map[string]string{
		"https://spam.example/": "spam.example", "http://a.b.SPAM.example.:8080/x": "spam.example", "https://good.example@spam.example/": "spam.example",
		"https://xn--bcher-kva.example": "Bücher.example", "https://www.BÜCHER.example": "Bücher.example", "https://spam。example/": "spam.example",
		"https://ｓpam.example":      "spam.example",
		"https://a_b.spam。example/": "spam.example", "https://-a.BÜCHER.example/": "Bücher.example",
		"https://r3--x.b%C3%BCcher.example/": "Bücher.example", "https://sp\u00adam.example/": "spam.example",
		"https://www.ѕраm.example/": "spam.example", "https://xn--m-7sb1cxe.example/": "spam.example",
		"https://\ufffd.bücher.example/": "Bücher.example", "https://ѕpam。example": "spam.example", "https://spám.example/": "", "https://bøcher.example/": "",
		"https://notspam.example/": "", "https://spam.example@good.example/": "", "https://good.example/spam.example": "",
		"https://spam.example.org/": "", "": "", "text": "",
	} {
		if got := l.Domain(address); got != want {
			t.Errorf("Domain(%q) = %q", address, got)
		}
	}
}

func TestRulesThatMatchNothingAreErrors(t *testing.T) {
	long := strings.Repeat("a", MaxRule+1)
	for _, word := range []string{"--", "", "\u00ad", "\u0301", long} {
		if CheckWord(word) == nil {
			t.Errorf("the word %q is accepted", word)
		}
	}
	for _, domain := range []string{"", ".", "https://a.example/", "a.example:80", "me@a.example", "two words", long} {
		if CheckDomain(domain) == nil {
			t.Errorf("the domain %q is accepted", domain)
		}
	}
	for _, err := range []error{CheckWord("free money"), CheckDomain("Bücher.example.")} {
		if err != nil {
			t.Error(err)
		}
	}
}

func FuzzWord(f *testing.F) {
	f.Add("free money", "x")
	f.Fuzz(func(t *testing.T, word, around string) {
		if CheckWord(word) == nil && New([]string{word}, nil).Word(around+" . "+word+" . "+around) == "" {
			t.Errorf("%q is not found beside %q", word, around)
		}
	})
}

func FuzzDomain(f *testing.F) {
	f.Add("spam.example", "www")
	f.Add("bücher.example", "ѕ\u00ad")
	f.Fuzz(func(t *testing.T, domain, below string) {
		l := New(nil, []string{domain})
		for _, host := range []string{domain, below + "." + domain} {
			address := (&url.URL{Scheme: "https", Host: host, Path: "/"}).String()
			if u, err := url.Parse(address); CheckDomain(domain) == nil && err == nil && u.Hostname() == host && l.Domain(address) == "" {
				t.Errorf("%q is not found as %q", domain, host)
			}
		}
	})
}
