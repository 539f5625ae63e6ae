package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/storetest"
)

// benchOriginSize is the environment variable that makes the test program an origin of so many feeds of so many entries,
// "1000x30": its work must not be counted as that of those who fetch.
const benchOriginSize = "FEEDWIRE_BENCH_ORIGIN"

// benchOrigin serves feeds of entries with about 3 KB of HTML each, every other one Atom, with ETag and Last-Modified.
type benchOrigin struct {
	mu          sync.Mutex
	feeds       []benchFeed
	entries     int
	first, last time.Time // request and answer since the last look
}

type benchFeed struct {
	body    []byte
	version int
}

// serveBenchOrigin prints its address and serves until its standard input ends.
func serveBenchOrigin(size string) {
	feeds, entries, _ := strings.Cut(size, "x")
	n, _ := strconv.Atoi(feeds)
	o := &benchOrigin{feeds: make([]benchFeed, n)}
	o.entries, _ = strconv.Atoi(entries)
	for i := range o.feeds {
		o.feeds[i].body = o.render(i, 0)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() { _ = http.Serve(l, o) }()
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
}

// render makes a version of a feed: the newest entry is that of the version, and the one before it is edited by it.
func (o *benchOrigin) render(number, version int) []byte {
	var b bytes.Buffer
	atom := number%2 == 1
	if atom {
		fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Feed %d</title><id>urn:feed:%[1]d</id><updated>2026-11-20T12:00:00Z</updated>`, number)
	} else {
		fmt.Fprintf(&b, `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Feed %d</title><link>http://site%[1]d.example/</link><description>News</description>`, number)
	}
	for entry := version + o.entries - 1; entry >= version; entry-- {
		random := mathrand.New(mathrand.NewPCG(uint64(number), uint64(entry)))
		at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(entry) * time.Hour)
		title := fmt.Sprintf("What happened at site %d on day %d", number, entry)
		if version > 0 && entry == version+o.entries-2 {
			title += ", corrected"
		}
		link := fmt.Sprintf("http://site%d.example/2026/11/story-%d", number, entry)
		content, summary := storetest.Prose(random, 3072), storetest.Prose(random, 160)
		if atom {
			fmt.Fprintf(&b, `<entry><title>%s</title><link href="%s"/><id>%[2]s</id><published>%s</published><updated>%[3]s</updated><author><name>Ada Lovelace</name></author><summary type="html">`,
				title, link, at.Format(time.RFC3339))
			_ = xml.EscapeText(&b, []byte(summary))
			b.WriteString(`</summary><content type="html">`)
			_ = xml.EscapeText(&b, []byte(content))
			b.WriteString("</content></entry>")
			continue
		}
		fmt.Fprintf(&b, `<item><title>%s</title><link>%s</link><guid isPermaLink="true">%[2]s</guid><pubDate>%s</pubDate><description><![CDATA[%s]]></description><content:encoded><![CDATA[%s]]></content:encoded></item>`,
			title, link, at.Format(time.RFC1123Z), summary, content)
	}
	b.WriteString(map[bool]string{true: "</feed>", false: "</channel></rss>"}[atom])
	return b.Bytes()
}

// ServeHTTP serves /<number>; POST /change gives every tenth feed a new and an edited entry; GET /span tells how long it
// took from the first request to the last answer since the last look.
func (o *benchOrigin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/change":
		for i := 0; i < len(o.feeds); i += 10 {
			body := o.render(i, o.feeds[i].version+1)
			o.mu.Lock()
			o.feeds[i] = benchFeed{body, o.feeds[i].version + 1}
			o.mu.Unlock()
		}
		return
	case "/span":
		o.mu.Lock()
		defer o.mu.Unlock()
		_ = json.NewEncoder(w).Encode(o.last.Sub(o.first))
		o.first, o.last = time.Time{}, time.Time{}
		return
	}
	number, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil || number < 0 || number >= len(o.feeds) {
		http.NotFound(w, r)
		return
	}
	o.mu.Lock()
	if o.first.IsZero() {
		o.first = time.Now()
	}
	f := o.feeds[number]
	o.mu.Unlock()
	tag := fmt.Sprintf(`"%d-%d"`, number, f.version)
	w.Header().Set("Etag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
	} else {
		w.Header().Set("Content-Type", "application/xml")
		w.Header().Set("Last-Modified", time.Date(2026, 11, 20, 12, 0, f.version, 0, time.UTC).Format(http.TimeFormat))
		_, _ = w.Write(f.body)
	}
	o.mu.Lock()
	o.last = time.Now()
	o.mu.Unlock()
}

// originProcess is a benchOrigin in a process of its own.
type originProcess struct {
	b              *testing.B
	base           string
	feeds, entries int
}

func startBenchOrigin(b *testing.B, feeds, entries int) *originProcess {
	b.Helper()
	c := startCompanion(b, fmt.Sprintf("%s=%dx%d", benchOriginSize, feeds, entries))
	return &originProcess{b, "http://" + c.line(b), feeds, entries}
}

func (o *originProcess) urls() (all []string) {
	for i := range o.feeds {
		all = append(all, fmt.Sprintf("%s/%d", o.base, i))
	}
	return all
}

// opml lists the feeds.
func (o *originProcess) opml() []byte {
	var b bytes.Buffer
	b.WriteString(`<opml version="2.0"><body>`)
	for _, url := range o.urls() {
		fmt.Fprintf(&b, `<outline type="rss" text="%s" xmlUrl="%[1]s"/>`, url)
	}
	b.WriteString("</body></opml>")
	return b.Bytes()
}

func (o *originProcess) change() { o.ask("/change") }

// span is how long the last pass took here.
func (o *originProcess) span() (d time.Duration) {
	o.b.Helper()
	if err := json.Unmarshal(o.ask("/span"), &d); err != nil {
		o.b.Fatal(err)
	}
	return d
}

func (o *originProcess) ask(path string) []byte {
	o.b.Helper()
	resp, err := http.Get(o.base + path)
	if err != nil {
		o.b.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		o.b.Fatal(err)
	}
	return body.Bytes()
}
