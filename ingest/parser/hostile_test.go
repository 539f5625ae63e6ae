package parser_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// The bombs are read in a process of their own with this much memory: what they do to the parser cannot be recovered
// from.
const (
	bombEnvironment = "FEEDWIRE_TEST_BOMB"
	bombMemory      = 512 << 20
)

// bombs adds to hostile what is legal and only much.
func bombs() map[string]string {
	item := func(s string) string { return rss("<item>" + s + "</item>") }
	all := hostile()
	more := map[string]string{
		"nested xml:base":          `<feed xmlns="http://www.w3.org/2005/Atom">` + strings.Repeat(`<x xml:base="b/">`, 50_000),
		"a million items":          rss(strings.Repeat("<item/>", 1_000_000)),
		"items beside the channel": `<rdf:RDF>` + strings.Repeat("<item/>", 3000) + `</rdf:RDF>`,
		"entries":                  `<feed>` + strings.Repeat("<entry/>", 3000) + `</feed>`,
		"a long comment":           item("<!--" + strings.Repeat("x", 3<<20) + "-->"),
		"many JSON items":          `{"version":"https://jsonfeed.org/version/1.1","items":[` + strings.Repeat("{},", 1_000_000) + `{}]}`,
		"a long JSON text":         `{"version":"https://jsonfeed.org/version/1.1","items":[],"title":"` + strings.Repeat("A", 7<<20) + `"}`,
		"long JSON texts":          `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"` + strings.Repeat("A", 2<<20) + `","title":"` + strings.Repeat("<b>", 1<<20) + `","content_html":"` + strings.Repeat("<p>", 1<<20) + `"}]}`,
		"a long content":           item("<description>" + strings.Repeat("&lt;p>", 1<<20) + "</description>"),
		"items that are left out":  rss(strings.Repeat("<item>"+strings.Repeat("<a>", 300)+"</item>", 8000)),
		"a billion laughs": `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">` + numbered(`<!ENTITY b# "&a;&a;&a;&a;&a;&a;&a;&a;">`, 200) + `]>` +
			item("<title>"+strings.Repeat("&b9;", 100_000)+"</title>"),
		"a definition used often":       `<!DOCTYPE r [<!ENTITY a "` + strings.Repeat("a", 250) + `">]>` + item("<title>"+strings.Repeat("&a;", 500_000)+"</title>"),
		"an external entity":            `<!DOCTYPE r [<!ENTITY a SYSTEM "file:///dev/zero">]>` + item("<title>&a;</title>"),
		"definitions that never end":    "<!DOCTYPE r " + strings.Repeat("[<!ENTITY a ", 500_000),
		"comments that never end":       item(strings.Repeat("<!--", 1_500_000)),
		"sections that never end":       item(strings.Repeat("<![CDATA[", 700_000)),
		"tags that never end":           item(strings.Repeat("<a b='", 1_000_000)),
		"less-than signs":               item("<title>" + strings.Repeat("<", 2<<20) + "</title>"),
		"ampersands":                    item("<title>" + strings.Repeat("&", 2<<20) + "</title>"),
		"stray end tags":                item(strings.Repeat("</p>", 1_500_000)),
		"stray end tags in depth":       item(strings.Repeat("<a>", 200) + strings.Repeat("</p>", 1_500_000)),
		"end tags of the root":          `<rss>` + strings.Repeat("</rss>", 1_000_000) + "<item><guid>1</guid></item></rss>",
		"unclosed fields":               item(strings.Repeat("<title>", 700_000)),
		"items in items":                rss(strings.Repeat("<item><x>", 700_000)),
		"namespaces of every item":      rss(strings.Repeat(`<item`+numbered(` xmlns:n#="u:#"`, 60)+`/>`, 1900)),
		"attributes of every element":   item(strings.Repeat("<a"+numbered(` a#="1"`, 200)+"/>", 4000)),
		"links in content":              item("<description><![CDATA[" + strings.Repeat(`<a href="x">`, 120_000) + "]]></description>"),
		"bases in content":              item("<description><![CDATA[" + strings.Repeat(`<a xml:base="x/" href="y">`, 60_000) + "]]></description>"),
		"entities in content":           item("<description>" + strings.Repeat("&amp;nbsp;", 180_000) + "</description>"),
		"tags in a title":               item("<title>" + strings.Repeat("&lt;b&gt;", 200_000) + "</title>"),
		"a long date":                   item("<guid>1</guid><pubDate>" + strings.Repeat("1 ", 900_000) + "</pubDate>"),
		"slow dates":                    rss(strings.Repeat(dated("1a1a1 1:1 "+strings.Repeat("et Europe/X ", 5)), 2000)),
		"dates in unknown zones":        rss(strings.Repeat(dated("22 Dec 2017 15:09 Europe/Xxxxx"), 2000)),
		"dates in known zones":          rss(strings.Repeat(dated("22.12.2017 15.09 Uhr America/New_York"), 2000)),
		"two encodings":                 `<?xml version="1.0" encoding="windows-1251"?>` + item("<title>"+strings.Repeat("\xe0\x88", 3<<20)+"</title>"),
		"escapes of Japanese":           item("<title>" + strings.Repeat("\x1b$B\x1b(B", 1<<20) + "</title>"),
		"many people":                   item("<guid>1</guid>" + numbered("<a:author xmlns:a='http://www.w3.org/2005/Atom'><a:name>#</a:name></a:author>", 15_000)),
		"many categories":               item("<guid>1</guid>" + numbered("<category>#</category>", 60_000)),
		"UTF-16 of control characters":  "\xff\xfe" + strings.Repeat("\x01\x00", 3_000_000),
		"brackets":                      item("<title>" + strings.Repeat("]]>", 600_000) + "</title>"),
		"instructions":                  item(strings.Repeat("<?x ?>", 1_000_000)),
		"JSON strings that never end":   `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"` + strings.Repeat(`\"`, 1<<20),
		"JSON keys":                     `{` + numbered(`"k#":[],`, 150_000) + `"items":[{"id":1}]}`,
		"warnings before the root":      strings.Repeat("<br />Warning: <b>x</b>\n", 300_000),
		"unclosed quotes":               item(strings.Repeat(`<a b="></a>`, 500_000)),
		"elements of a name for a item": rss(strings.Repeat(`<a:item xmlns:a="u:x"/>`, 200_000)),
	}
	for name, bomb := range hostileItems() {
		more["an item of "+name] = item(bomb.markup)
	}
	for name, body := range more {
		all[name] = body
	}
	return all
}

// dated is an item with a date wherever one may be.
func dated(date string) string {
	var out strings.Builder
	for _, name := range []string{"pubDate", "published", "date", "updated", "lastBuildDate", "dcterms:issued", "dcterms:created", "dcterms:available",
		"dcterms:modified", "dc:date", "atom:published", "atom:issued", "atom:updated", "atom:modified"} {
		out.WriteString("<" + name + ">" + date + "</" + name + ">")
	}
	return "<item>" + out.String() + "</item>"
}

// TestBombsEndSoonInLittleMemory reads each bomb in a child, which must not die of it: that would be the daemon. What is
// no feed has to be refused, what is only much may be read.
func TestBombsEndSoonInLittleMemory(t *testing.T) {
	if file := os.Getenv(bombEnvironment); file != "" {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		readBomb(t, body)
		return
	}
	if testing.Short() {
		t.Skip("starts fifty processes")
	}
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector needs ten times the time and memory")
	}
	refused := hostile()
	for name, body := range bombs() {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bomb")
			if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestBombsEndSoonInLittleMemory$", "-test.v")
			child.Env = append(os.Environ(), bombEnvironment+"="+file, "GOMEMLIMIT="+strconv.Itoa(bombMemory/2))
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("the process died, %v: %.2000s", err, out)
			}
			if _, must := refused[name]; must && !strings.Contains(string(out), "refused: limits") {
				t.Errorf("got %.500s", out)
			}
			t.Logf("%.300s", out)
		})
	}
}

// readBomb bounds this process and reads a document.
func readBomb(t *testing.T, body []byte) {
	limit := unix.Rlimit{Cur: bombMemory, Max: bombMemory}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &limit); err != nil {
		t.Fatal(err)
	}
	begun := usedCPU(t)
	_, err := parser.Parse(parser.Raw{Body: body, ContentType: "application/xml; charset=iso-8859-5", URL: feedURL, Received: received}, feedURL, 0)
	took := usedCPU(t) - begun
	own := (*feed.PollError)(nil)
	switch {
	case err == nil:
		t.Logf("read in %v", took)
	case errors.As(err, &own):
		t.Logf("refused: %s in %v: %v", own.Class, took, err)
	default:
		t.Errorf("got %v", err)
	}
	if took > 2*time.Second { // below 1 s by the clock, with the collector beside it
		t.Errorf("took %v", took)
	}
}

// usedCPU is the processor time of this process so far; a busy machine does not lengthen it as it does the time by the
// clock.
func usedCPU(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
