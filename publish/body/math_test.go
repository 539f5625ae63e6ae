package body_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/body"
)

func TestFormulasAreKept(t *testing.T) {
	const quadratic = `<math display="block" alttext="x = ..."><mrow><mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo>` +
		`<msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac></mrow></math>`
	for _, c := range []struct{ name, in, want string }{
		{"a formula", `<p>So ` + quadratic + ` holds.</p>`, `<p>So ` + strings.Replace(quadratic, `display="block" alttext="x = ..."`,
			`alttext="x = ..." display="block"`, 1) + ` holds.</p>`},
		{"white space and namespaces", "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">\n <mi>x</mi>\n</math>", `<math><mi>x</mi></math>`},
		{"parts without content", `<math><mmultiscripts><mi>X</mi><none/><mprescripts/><mspace width="1em"/><mo></mo></mmultiscripts></math>`,
			`<math><mmultiscripts><mi>X</mi><none></none><mprescripts></mprescripts><mspace width="1em"></mspace><mo></mo></mmultiscripts></math>`},
		{"TeX beside it", `<math><semantics><mi>x</mi><annotation encoding="application/x-tex">a &lt; b</annotation>` +
			`<annotation-xml encoding="text/html"><p>y</p></annotation-xml></semantics></math>`,
			`<math><semantics><mi>x</mi><annotation encoding="application/x-tex">a &lt; b</annotation></semantics></math>`},
		{"a table", `<math><mfenced open="[" close="]"><mtable><mtr><mtd>1</mtd><mtd><mn>2</mn></mtd></mtr></mtable></mfenced></math>`,
			`<math><mfenced close="]" open="["><mtable><mtr><mtd><mtext>1</mtext></mtd><mtd><mn>2</mn></mtd></mtr></mtable></mfenced></math>`},
		{"words between parts", `<math>a<mi>x</mi> b </math>`, `<math><mtext>a</mtext><mi>x</mi><mtext>b</mtext></math>`},
		{"formats in a text", `<b><math><mtext>if <i>x</i></b></mtext></math></b>`, `<b><math><mtext>if x</mtext></math></b>`},
		{"other elements end it", `<math><mi>x</mi><p>a</p><img src="/i.png"></math>b`,
			`<math><mi>x</mi></math><p>a</p><img src="https://blog.example.org/i.png"/>b`},
		{"in a cell", `<table><math><mi>x</mi></math></table>`, `<table><tbody><tr><td><math><mi>x</mi></math></td></tr></tbody></table>`},
		{"a line before it", `<form>a</form><math><mi>x</mi></math>`, `a<br/><math><mi>x</mi></math>`},
		{"without an end", `<math><mi>x</mi><p>a</p>`, `x<p>a</p>`},
		{"parts alone", `<mfrac><mi>x</mi></mfrac>`, `x`},
		{"links and scripts", `<math href="javascript:x"><mi xlink:href="https://a.example/" onclick="x" style="y" class="z">x</mi>` +
			`<maction actiontype="statusline#x"><mi>y</mi></maction><script>z</script></math>`, `<math><mi>x</mi><mi>y</mi></math>`},
		{"nothing", `a<math> </math>b`, `ab`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := body.Clean(c.in, base, body.Policy{})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			check(t, body.New(body.Policy{EmbedHosts: []string{"youtube.com"}}), c.in)
		})
	}
}

func TestConsumerWithoutFormulasGetsTheirText(t *testing.T) {
	for in, want := range map[string]string{
		`<p>a <math><mi>x</mi></math> b</p>`:                    `<p>a  b</p>`,
		`<p>a <math alttext="x &lt; 1"><mi>x</mi></math> b</p>`: `<p>a x &lt; 1 b</p>`,
	} {
		if got, warnings := body.Clean(in, base, body.Policy{Tags: []string{"p"}}); got != want || len(warnings) != 1 {
			t.Errorf("%s: got %s, %v, want %s", in, got, warnings, want)
		}
	}
}

// Each of these strings moves an element from MathML to HTML or back when it is parsed again.
func TestFormulasThatMutateAreHarmless(t *testing.T) {
	cleaner := body.New(body.Policy{EmbedHosts: []string{"youtube.com"}})
	for _, around := range []string{"%", "<p>%", "<b>%</b>", "<table>%</table>", "<select>%</select>", "<form>%</form><form>%", "<svg>%</svg>", "<math>%</math>",
		"<math><mtext>%</mtext></math>", "<math><mi>%</math>", "<math><annotation-xml encoding='text/html'>%</annotation-xml></math>",
		"<math><semantics><annotation>%</annotation></semantics></math>", "<math><mtext><table><mglyph>%</mglyph></table></mtext></math>",
		"<math><mtext><mglyph>%", "<math><mtext><malignmark>%", "<noscript>%</noscript>", "<math><style>%</style></math>", "<math><mo title='%'>x</mo></math>"} {
		for _, inner := range []string{
			`<style><img title="</style><img src=x onerror=alert(1)>">`, `<style><!--</style><img src=x onerror=alert(1)>-->`,
			`<mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`, `<mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
			`<annotation-xml encoding="text/html"><style><img title="</style><img src=x onerror=alert(1)>"></style></annotation-xml>`,
			`<annotation-xml encoding="application/xhtml+xml"><script>alert(1)</script></annotation-xml>`, `<mi><svg><style>&lt;img src=x onerror=alert(1)&gt;</style></svg></mi>`,
			`<![CDATA[</math><img src=x onerror=alert(1)>]]>`, `<mtext><textarea></mtext></math><img title="</textarea><img src=x onerror=alert(1)>">`,
			`<mtext><noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript></mtext>`, `<mi><title></mi><img title="</title><script>alert(1)</script>">`,
			`<maction actiontype="statusline" xlink:href="javascript:alert(1)">x</maction>`, `<mtext>&lt;/mtext&gt;&lt;img src=x onerror=alert(1)&gt;</mtext>`,
			`<mi alttext="</mi><script>alert(1)</script>" title="--><script>alert(1)</script>">x</mi>`, `<mtext><p></p><mglyph><svg><mtext><style><path id="</style><img src=x onerror=alert(1)>">`,
		} {
			check(t, cleaner, strings.ReplaceAll(around, "%", inner))
		}
	}
}
