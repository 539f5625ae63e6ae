package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestColoursAreReadable checks the contrast of text against what it stands on: at least 4.5 to 1 (WCAG 2.2, 1.4.3), in
// the light and the dark scheme.
func TestColoursAreReadable(t *testing.T) {
	t.Run("desk", func(t *testing.T) {
		testColours(t, "desk.css", []string{"paper", "card"}, [][2]string{ // of rules that meet in one element
			{"ink", "paper"}, {"ink", "card"}, {"ink", "well-wash"}, {"ink", "trouble-wash"}, {"ink", "plain-wash"}, {"quiet", "paper"},
			{"quiet", "card"}, {"link", "paper"}, {"link", "card"}, {"link", "out-wash"}, {"well", "well-wash"}, {"wait", "wait-wash"},
			{"ink", "wait-wash"}, {"paper", "wait"}, {"trouble", "trouble-wash"}, {"trouble", "card"}, {"paper", "well"}, {"paper", "trouble"},
			{"paper", "link"}, {"quiet", "paper"},
		})
	})
	t.Run("community", func(t *testing.T) {
		testColours(t, "community.css", []string{"paper"}, [][2]string{
			{"ink", "paper"}, {"ink", "surface"}, {"ink", "sunken"}, {"soft", "surface"}, {"faint", "surface"}, {"accent", "sunken"}, {"paper", "ink"},
		})
	})
}

// testColours checks the colours of a stylesheet: pairs of a text and a ground, and those of its rules. Text of a rule without ground
// stands on grounds.
func testColours(t *testing.T, name string, grounds []string, more [][2]string) {
	t.Helper()
	css, err := files.ReadFile("assets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).FindAllStringSubmatch(string(css), -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	pairs := append(pairsOf(t, string(css), grounds), more...)
	for _, pair := range pairs {
		for scheme, name := range []string{"light", "dark"} {
			text, ground := colours[pair[0]][scheme], colours[pair[1]][scheme]
			if text == "" || ground == "" {
				t.Fatalf("no colours for %v in the stylesheet", pair)
			}
			if got := contrast(t, text, ground); got < 4.5 {
				t.Errorf("%s: %s on %s has contrast %.2f, want 4.5", name, pair[0], pair[1], got)
			}
		}
	}
}

// pairsOf are the colours of text in a stylesheet with the grounds that the same rule gives, else with those that every text
// may stand on. A colour that is no variable fails the test: it would be the same in both schemes.
func pairsOf(t *testing.T, css string, grounds []string) (pairs [][2]string) {
	t.Helper()
	_, rules, _ := strings.Cut(css, "}") // without the variables themselves
	if colour := regexp.MustCompile(`#[0-9a-f]{3,8}\b`).FindString(regexp.MustCompile(`[^{}]*{`).ReplaceAllString(rules, "{")); colour != "" {
		t.Errorf("the colour %s is no variable", colour)
	}
	text := regexp.MustCompile(`[{; ]color: var\(--([a-z-]+)\)`)
	ground := regexp.MustCompile(`background(?:-color)?: var\(--([a-z-]+)\)`)
	for _, rule := range regexp.MustCompile(`{[^{}]*}`).FindAllString(rules, -1) {
		on := grounds
		if m := ground.FindStringSubmatch(rule); m != nil {
			on = m[1:]
		}
		if m := text.FindStringSubmatch(rule); m != nil && m[1] != "paper" || m != nil && len(on) == 1 {
			for _, g := range on {
				pairs = append(pairs, [2]string{m[1], g})
			}
		}
	}
	if len(pairs) < 20 {
		t.Fatalf("only %d pairs of colours in the stylesheet", len(pairs))
	}
	return pairs
}

// contrast is the ratio of relative luminances (WCAG 2.2).
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(c uint64) float64 {
		v := float64(c&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}
