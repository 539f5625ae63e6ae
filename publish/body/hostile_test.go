package body_test

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/xsstest"
)

func TestXSSPayloadsAreHarmless(t *testing.T) {
	cleaner := body.New(body.Policy{EmbedHosts: []string{"youtube.com"}})
	for _, payload := range xsstest.Payloads() {
		for _, in := range []string{payload, "<p>a</p>" + payload + "<p>b</p>", "<table><tr><td>" + payload, "<svg>" + payload, "<noscript>" + payload + "</noscript>"} {
			check(t, cleaner, in)
		}
	}
	all := strings.Join(xsstest.Payloads(), "\n")
	check(t, cleaner, all)
}

// check fails where the cleaned markup is dangerous, or is not the same when it is read again.
func check(t *testing.T, cleaner *body.Cleaner, in string) {
	t.Helper()
	got, _ := cleaner.Clean(in, base)
	player := func(src string) bool { // as a browser would read it, not as the cleaner does
		u, err := url.Parse(src)
		return err == nil && strings.HasPrefix(u.Scheme, "http") && u.User == nil &&
			strings.HasSuffix("."+strings.ToLower(u.Hostname()), ".youtube.com")
	}
	if faults := xsstest.Faults(got, xsstest.Allowed{Frame: player, Math: true}); len(faults) > 0 {
		t.Errorf("%.300q gives %.300q:\n%s", in, got, faults[0])
	}
	if again := parsed(t, got); again != got {
		t.Errorf("%.300q gives\n%.300q, which reads as\n%.300q", in, got, again)
	}
	if again, _ := cleaner.Clean(got, base); again != got {
		t.Errorf("%.300q gives\n%.300q, and cleaned again\n%.300q", in, got, again)
	}
	if !utf8.ValidString(got) || hypertext.Clean(got) != got {
		t.Errorf("%.300q gives %.300q, which XML cannot hold", in, got)
	}
}

func parsed(t *testing.T, markup string) string {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	var sb strings.Builder
	for _, n := range nodes {
		if err := html.Render(&sb, n); err != nil {
			t.Fatal(err)
		}
	}
	return sb.String()
}

// TestHostileMarkupTakesLinearTime compares one size with four times as much: what takes time by the square would
// need sixteen times as long. It is the processor's time, which other programs lengthen little.
func TestHostileMarkupTakesLinearTime(t *testing.T) {
	cleaner := body.New(body.Policy{})
	for name, unit := range map[string]string{
		"deep":           "<div><b>",
		"open formats":   "<p><b><i><u>x",
		"ends":           "</b></p></div>",
		"links":          "<a href=/x><p>",
		"svg":            "<svg>",
		"half closed":    "<svg></svg><math>",
		"formulas":       "<math><mi>x</mi></math>",
		"open formulas":  "</math><math><mrow><mi>x",
		"blank elements": "<b> </b>",
		"table":          "<table>x<tr>x<td>",
		"rows":           "x<tr>",
		"less than":      "<<<<a<",
		"attributes":     "<p a=1 b=2 c=3 title=x>",
		"srcset":         "<img srcset='a 1x, b 2x,,,,,,,,,,,,,,,,,,,,,,,,,,,'>",
		"noscript":       "<noscript><img src=/a>",
		"comments":       "<!--<!-->",
		"entities":       "&amp;&lt&#x3c;",
		"misnested":      "<b><i><u><s><em><a href=/x>x</b>y",
		"pictures":       "<picture><source srcset=/a>",
		"list":           "<ul><li><ol><li>x",
		"ruby":           "<ruby><rt><rp>x",
	} {
		t.Run(name, func(t *testing.T) {
			const size = 64 << 10
			small := cleaning(t, cleaner, strings.Repeat(unit, size/len(unit)))
			large := cleaning(t, cleaner, strings.Repeat(unit, 4*size/len(unit)))
			if large > 10*small && large > time.Second/2 {
				t.Errorf("%v for %d bytes, %v for four times as many", small, size, large)
			}
		})
	}
}

// cleaning is the processor time that markup takes, that of the collector for it included.
func cleaning(t *testing.T, cleaner *body.Cleaner, in string) time.Duration {
	t.Helper()
	runtime.GC() // what is left of others
	before := processorTime(t)
	cleaner.Clean(in, base)
	return processorTime(t) - before
}

// processorTime is what this process has used so far; no other test runs beside.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestOutputSizeIsBounded keeps small input from becoming large output.
func TestOutputSizeIsBounded(t *testing.T) {
	cleaner := body.New(body.Policy{})
	for _, unit := range []string{"x<tr>", "<b><i><u><s><em><q><sub><sup>x</b>", "<<", "'", `<b title='"""'>x</i>`, "<p><b><div>x</div>"} {
		in := "<table>" + strings.Repeat(unit, 10_000)
		if got, _ := cleaner.Clean(in, base); len(got) > 30*len(in) {
			t.Errorf("%q: %d bytes become %d", unit, len(in), len(got))
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, payload := range xsstest.Payloads() {
		f.Add(payload)
	}
	for _, seed := range []string{
		"<p>a<table><tr><td>b<p>c</table>d", "<a href=/x>a<p>b<a href=/y>c", "<ruby>a<rt>b<p>c<rt>d", "<h1>a<h2>b</h1>c",
		"<picture><source srcset='a, b 2x'><b>x</b><source srcset=c><img src=d>", "<dl><dt>a<dd>b<p>c<dt>d", "<video>x<source src=a>y", "<pre>\n\nx<p>\n y",
	} {
		f.Add(seed)
	}
	wide := body.New(body.Policy{EmbedHosts: []string{"youtube.com"}})
	narrow := body.New(body.Policy{Tags: []string{"p", "a", "table", "img"}, MaxDepth: 7})
	f.Fuzz(func(t *testing.T, in string) {
		check(t, wide, in)
		check(t, narrow, in)
	})
}

func BenchmarkClean(b *testing.B) {
	var sb strings.Builder
	for i := 0; sb.Len() < 1<<20; i++ {
		fmt.Fprintf(&sb, `<h2>Part %d</h2><p>The council <b>agreed</b> on <a href="/posts/%d">the harbour</a> &amp; the weather held; more than
			a hundred vessels &quot;left&quot; in the morning, and the rest followed on the tide as they have done for years.</p>
			<figure class="wide"><img src="/images/%d.jpg" width="640" height="480" alt="A harbour"><figcaption>The harbour</figcaption></figure>
			<ul><li>first<li>second</ul>`, i, i, i)
	}
	cleaner := body.New(body.Policy{})
	b.SetBytes(int64(sb.Len()))
	b.ReportAllocs()
	for b.Loop() {
		cleaner.Clean(sb.String(), base)
	}
}
