package instant_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/instant"
)

func TestRaisedAndLoweredTextKeepsItsMeaning(t *testing.T) {
	for content, want := range map[string]string{
		"10<sup>6</sup> m<sup>-2</sup>":                                           "10⁶ m⁻²",
		"H<sub>2</sub>O and x<sub>i+1</sub>":                                      "H₂O and xᵢ₊₁",
		"e<sup>x<sup>2</sup></sup>":                                               "e^(x²)",
		"a<sup>n k</sup>, b<sup> <i>n</i> </sup>":                                 "aⁿ ᵏ, b <i>ⁿ</i>",
		"2<sup>AB</sup> and f<sub>max. <b>Q</b></sub>!":                           "2^(AB) and f_(max. <b>Q)</b>!",
		"the 4<sup>th</sup>, 1<sup>er</sup>, Acme<sup>®</sup>":                    "the 4th, 1er, Acme®",
		"word<sup>[3]</sup> and word<sup>*</sup>":                                 "word[3] and word*",
		`word<sup><a href="https://a.example/">1</a></sup>`:                       `word<a href="https://a.example/">¹</a>`,
		"<sup>1</sup> a note":                                                     "1 a note",
		"<sup></sup>x<sup> </sup>y":                                               "x y",
		"<li>10<sup>6</sup></li>":                                                 "10⁶",
		"<h2>CO<sub>2</sub></h2>":                                                 "CO₂",
		"<figure><img src=/a.jpg><figcaption>m<sup>2</sup></figcaption></figure>": "m²",
	} {
		body, warnings, err := instant.Fragment(article(content), instant.Options{})
		if err != nil || len(warnings) > 0 || !strings.Contains(body, ">"+want+"<") {
			t.Errorf("%s: got %s (%v, %v), want %s", content, body, warnings, err, want)
		}
	}
}

func TestFormulasBecomeTheirAlternativeText(t *testing.T) {
	const formula = `<semantics><msup><mi>x</mi><mn>2</mn></msup><annotation encoding="application/x-tex">x^2</annotation></semantics></math>`
	for content, want := range map[string]string{
		`<p>a <math alttext="x^2">` + formula + ` b</p>`: "a x^2 b",
		`<p>a <math>` + formula + ` b</p>`:               "a x² b",
	} {
		if body, _, err := instant.Fragment(article(content), instant.Options{}); err != nil || !strings.Contains(body, ">"+want+"<") {
			t.Errorf("%s: got %s (%v), want %s", content, body, err, want)
		}
	}
}
