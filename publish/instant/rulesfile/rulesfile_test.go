package rulesfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/instant/rulesfile"
	"github.com/feedwire/feedwire/store/feed"
)

func TestParseRefusesInvalidFiles(t *testing.T) {
	many := strings.Repeat(`{"class":"ParagraphRule","selector":"p"},`, 2000)
	for name, tt := range map[string]struct{ file, want string }{
		"no JSON":        {"{\"rules\": [\n  {\"class\": \"PRule\",}\n]}", "line 2, column 21"},
		"another form":   {"{\n\"rules\": 7}", "line 2, column 10: rules must not be a JSON number"},
		"a list":         {"[]", "line 1, column 1: the value must not be a JSON array"},
		"two ads":        {`{"ads":{"raw_html":"x","audience_network_placement_id":"1"}}`, "remove one"},
		"too many":       {`{"rules":[` + many + `{"class":"ParagraphRule","selector":"p"}]}`, "at most 2000"},
		"too large":      {`{"style_name":"` + strings.Repeat("x", 1<<20) + `"}`, "more than 1048576 bytes"},
		"no JSON at all": {"rules:", "line 1, column 1"},
	} {
		_, _, err := rulesfile.Parse([]byte(tt.file))
		if !errors.Is(err, feed.ErrInvalid) || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestParseSkipsUnusableRules(t *testing.T) {
	for rule, want := range map[string]string{
		`{"class":"FancyRule","selector":"p"}`:                                                                       `unknown class "FancyRule"`,
		`{"class":7,"selector":"p"}`:                                                                                 "class is not a string",
		`{"class":"ParagraphRule"}`:                                                                                  "empty",
		`{"class":"ParagraphRule","selector":"p:nth-child(2)"}`:                                                      "pseudo-class :nth-child is not supported",
		`{"class":"ParagraphRule","selector":"p ~ b"}`:                                                               "later siblings (~)",
		`{"class":"ParagraphRule","selector":"> p"}`:                                                                 "lacks an element",
		`{"class":"ParagraphRule","selector":"p["}`:                                                                  "selector",
		`{"class":"ParagraphRule","selector":"//p[position()=1]"}`:                                                   "positions such as [1] and [last()] are not supported",
		`{"class":"ParagraphRule","selector":"//p/ancestor::div"}`:                                                   "the axis",
		`{"class":"ParagraphRule","selector":"` + strings.Repeat("p ", 600) + `"}`:                                   "more than 1000 bytes",
		`{"class":"ImageRule","selector":"p","properties":{"image.uri":{"type":"string"}}}`:                          "has no property",
		`{"class":"ImageRule","selector":"p","properties":{"image.url":{"type":"guess"}}}`:                           "unknown getter type",
		`{"class":"ImageRule","selector":"p","properties":{"image.url":"x"}}`:                                        "not a getter",
		`{"class":"ImageRule","selector":"p","properties":7}`:                                                        "properties is not an object",
		`{"class":"ImageRule","selector":"p","properties":{"image.url":{"type":"string","selector":":has(b)"}}}`:     "pseudo-class :has",
		`{"class":"TimeRule","selector":"p","properties":{"article.time":{"type":"date","format":"Y-z"}}}`:           "letter 'z'",
		`{"class":"VideoRule","selector":"p","containsChild":"p:hover"}`:                                             "containsChild",
		`{"class":"InteractiveRule","selector":"p","interactive.iframe":{"type":"fragment","fragment":"</iframe>"}}`: "closes an iframe",
	} {
		set, warnings, err := rulesfile.Parse([]byte(`{"rules":[{"class":"H2Rule","selector":"p"},` + rule + `]}`))
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], want) || !strings.HasPrefix(warnings[0], "rule 2: ") {
			t.Errorf("%.80s: got %v %q, want %q", rule, err, warnings, want)
			continue
		}
		if !slices.Contains(candidates(set, "p", ""), "H2Rule") {
			t.Errorf("%.80s: the other rule is skipped too", rule)
		}
	}
}

// candidates returns the classes of the rules of a file that may match an element, highest priority first.
func candidates(set *rulesfile.Rules, tag, classes string) (names []string) {
	for _, r := range set.Candidates(tag, classes) {
		if !r.Builtin {
			names = append(names, r.Class)
		}
	}
	return names
}

func TestCandidatesAreOrderedByPriority(t *testing.T) {
	set, _, err := rulesfile.Parse([]byte(`{"rules":[{"class":"H2Rule","selector":"p.x, [a]"},{"class":"ParagraphRule","selector":"p"},
		{"class":"IgnoreRule","selector":".y"},{"class":"BoldRule","selector":"div"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := candidates(set, "p", "y x")
	if want := "IgnoreRule ParagraphRule H2Rule"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDigestTellsSetsApart(t *testing.T) {
	one, _, err := rulesfile.Parse([]byte(`{"rules":[]}`))
	other, _, err2 := rulesfile.Parse([]byte(`{"rules": []}`))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	var none *rulesfile.Rules
	seen := make(map[string]bool)
	for _, s := range []*rulesfile.Rules{none, one, other, one.Before(other), other.Before(one)} {
		if seen[s.Digest()] {
			t.Errorf("two sets have the digest %q", s.Digest())
		}
		seen[s.Digest()] = true
	}
	if one.Before(nil).Digest() != one.Digest() || none.Digest() != "" {
		t.Error("a set without general rules has another digest")
	}
}

func TestClassesAndPropertiesAreDocumented(t *testing.T) {
	reference, err := os.ReadFile("../../../docs/reference/transformer.md")
	guide, err2 := os.ReadFile("../../../docs/how-to/adapt-markup.md")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, c := range rulesfile.Classes {
		words = append(append(words, c.Name), strings.Fields(c.Properties)...)
	}
	for _, word := range words {
		if !strings.Contains(string(reference), "`"+word+"`") {
			t.Errorf("docs/reference/transformer.md does not name %s", word)
		}
	}
	for _, name := range regexp.MustCompile(`\b[A-Z]\w+Rule\b`).FindAllString(string(reference), -1) {
		if !slices.Contains(words, name) {
			t.Errorf("docs/reference/transformer.md names %s, which is no class", name)
		}
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(reference)+string(guide), -1)
	for _, example := range examples {
		if _, warnings, err := rulesfile.Parse([]byte(example[1])); err != nil || len(warnings) > 0 || !json.Valid([]byte(example[1])) {
			t.Errorf("%s: %v %q", example[1], err, warnings)
		}
	}
	if len(examples) < 2 {
		t.Errorf("the documentation has %d examples", len(examples))
	}
}
