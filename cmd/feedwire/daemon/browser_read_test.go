//go:build !race

package daemon

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// magazine serves a feed with what readers meet: images, Arabic, code, a podcast, and an entry without text.
func magazine(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	mux.HandleFunc("/image/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(harbourPicture(len(r.URL.Path)))
	})
	mux.HandleFunc("/episode.mp3", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "audio/wav")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(silence(time.Minute)))
	})
	var items strings.Builder
	item := func(n int, title, rest string) {
		fmt.Fprintf(&items, `<item><guid>%d</guid><title>%s</title><link>%s/posts/%[1]d</link><pubDate>%[4]s</pubDate>%[5]s</item>`,
			n, title, srv.URL, time.Now().Add(-time.Duration(n)*11*time.Minute).UTC().Format(time.RFC1123), rest)
	}
	prose := strings.Repeat("<p>For forty years crane seven did its work in silence. On Tuesday night, a little after two, it began to whistle, "+
		"and the night shift stood under it and looked up.</p>", 4)
	item(1, "Crane seven learns to whistle, and the night shift is not amused",
		`<description><![CDATA[<p><img src="/image/quay.png" width="800" height="450" alt="The quay at dusk"></p>`+prose+
			`<h2>What the crane says</h2><blockquote>It is a low note, and it carries.</blockquote><ul><li>Tuesday</li><li>Wednesday</li></ul>`+prose+`]]></description>`)
	item(2, "الميناء يفتح أبوابه للزوار في الربيع", `<dc:language>ar</dc:language><description><![CDATA[<p>تفتح الميناء أبوابها للزوار كل يوم سبت، وتبدأ الجولة عند الساعة العاشرة.</p>]]></description>`)
	item(3, "How to read a tide table in twelve lines", `<description><![CDATA[<p>The table is a list of times and heights.</p><pre><code>for _, tide := range table {
	fmt.Printf("%s %5.2f m, and a comment that is much longer than the measure of the page allows it to be\n", tide.At, tide.Height)
}</code></pre><table><tr><th>Time</th><th>Height</th></tr><tr><td>06:12</td><td>3.1 m</td></tr></table>]]></description>`)
	item(4, "A comet that nobody ordered, and where to look for it",
		`<itunes:duration>24:10</itunes:duration><enclosure url="`+srv.URL+`/episode.mp3" type="audio/mpeg" length="23000000"/><itunes:image href="`+srv.URL+`/image/comet.png"/><description>The comet is low in the west after sunset.</description>`)
	item(5, "Nothing but a title", `<description><![CDATA[<img src="/gone.png">]]></description>`)
	for n := 6; n <= 34; n++ {
		picture := ""
		if n%3 == 0 {
			picture = fmt.Sprintf(`<img src="/image/%s.png">`, strings.Repeat("x", n))
		}
		item(n, fmt.Sprintf("Council votes %d to 12 for the river bus", n), `<description><![CDATA[`+picture+prose+`]]></description>`)
	}
	mux.HandleFunc("/feed", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">`+
			`<channel><title>Harbour Post</title><link>%s/</link>%s</channel></rss>`, srv.URL, items.String())
	})
	return srv.URL + "/feed"
}

// silence returns a WAV file.
func silence(d time.Duration) []byte {
	const rate = 8000 // samples of one byte in a second
	n := int(d.Seconds()) * rate
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+n))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...) // PCM, one channel
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = append(b, "\x01\x00\x08\x00data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	return append(b, bytes.Repeat([]byte{0x80}, n)...)
}

// harbourPicture returns an image of water and sky.
func harbourPicture(kind int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 800, 450))
	for y := range 450 {
		for x := range 800 {
			m.Set(x, y, color.RGBA{uint8(kind*37 + x/8), uint8(90 + y/5), uint8(200 - y/4), 255})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m) // a buffer takes everything
	return b.Bytes()
}

// reader opens a tab of ann, who follows the magazine.
func (b *browser) reader(t *testing.T) (d *daemon, p *tab) {
	t.Helper()
	d = start(t, storetest.RedisAOF(t), "")
	p = b.editor(t, d)
	d.do(http.MethodPost, "/api/v1/me/follows?user=ann", map[string]string{"url": magazine(t), "folder": "City"}, nil)
	p.opens("/read")
	wiretest.Eventually(t, "the feed is read", func() bool {
		p.opens("/read")
		return value[int](p, `document.querySelectorAll("[data-row]").length`) == 30
	})
	return d, p
}

// The timeline and its entries can be read by everyone, in each layout, both schemes of colours and on a telephone.
func testReading(t *testing.T, b *browser) {
	_, p := b.reader(t)
	axe := newAxe(t)
	entry := func(title string) string {
		return value[string](p, `[...document.querySelectorAll("h2 a")].find(a => a.textContent.startsWith(%s)).getAttribute("href")`, title)
	}
	crane, arabic, code, podcast := entry("Crane"), entry("الميناء"), entry("How to"), entry("A comet")
	for _, to := range []place{
		{name: "list", path: "/read?layout=list"}, {name: "cards", path: "/read?layout=cards"}, {name: "full", path: "/read?layout=full"},
		{name: "image", path: crane}, {name: "arabic", path: arabic}, {name: "code", path: code}, {name: "podcast", path: podcast},
	} {
		p.opens(to.path)
		for _, scheme := range []string{"light", "dark"} {
			p.prefers(scheme)
			for _, fault := range axe.faults(p, scheme == "dark") {
				t.Errorf("%s, %s: %s", to.name, scheme, fault)
			}
			for _, width := range []int64{390, 1280} {
				p.does(chromedp.EmulateViewport(width, 900))
				if *screens != "" {
					p.keeps(filepath.Join(*screens, fmt.Sprintf("read-%s-%s-%d.png", to.name, scheme, width)))
				}
				if wide := value[[]string](p, tooWide); len(wide) > 0 {
					t.Errorf("%s is wider than a window of %d: %s", to.name, width, strings.Join(wide, ", "))
				}
			}
		}
	}
	p.calm()
}

const craneTitle = "Crane seven learns to whistle, and the night shift is not amused"

// A reader marks, saves and opens entries with keys, and without JavaScript by forms.
func testReadingKeys(t *testing.T, b *browser) {
	_, p := b.reader(t)
	p.waits("the picture that is gone is hidden", `[...document.querySelectorAll(".picture")].filter(p => p.hidden).length === 1`)
	p.types("jm")
	p.waits("the first entry is read", `document.querySelector("[data-row]").matches(".read") && document.querySelector("[data-unread]").textContent === "33"`)
	for _, key := range []struct{ key, verb string }{{"s", "Unsave"}, {"z", "Save"}, {"s", "Unsave"}} {
		p.types(key.key)
		p.waits("changed to "+key.verb, `document.querySelector("[data-do=save]").textContent === %s`, key.verb)
	}
	p.opens("/read/saved")
	p.sees(craneTitle, "Mark as unread")
	p.opens("/read")
	p.types("j")
	p.leaves(func() { p.types(kb.Enter) })
	p.sees("What the crane says")
	p.leaves(func() { p.types("j") })
	p.sees("الميناء")
	p.leaves(func() { p.types("u") })
	p.at("/read")
	p.types("?")
	p.sees("open the original in a new tab")
	p.types(kb.Escape)
	p.follows("Unread")
	value[bool](p, `(document.querySelector("[data-row]").remove(), checkForNew().then(() => true))`)
	p.sees("1 new")
	p.calm()

	p.scripts(false)
	p.opens("/read?unread=1")
	p.follows("Mark as read: How to read a tide table")
	p.sees("The entry is read.")
	p.follows("Undo")
	p.sees("The entry is unread.")
}

// A swipe to the right marks an entry, one to the left saves it. A podcast plays, and goes on where it was and as fast.
func testReadingByTouch(t *testing.T, b *browser) {
	_, p := b.reader(t)
	p.does(chromedp.EmulateViewport(390, 844))
	call(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	swipe := func(by float64) {
		t.Helper()
		y := value[float64](p, `(r => r.y + r.height / 2)(document.querySelector("[data-row]").getBoundingClientRect())`)
		touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
			t.Helper()
			call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)})
		}
		touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: 195, Y: y})
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: 195 + by, Y: y})
		touch(input.DispatchTouchEventTypeTouchEnd)
	}
	swipe(120)
	p.waits("read", `document.querySelector("[data-row]").matches(".read")`)
	swipe(-120)
	p.waits("saved", `document.querySelector("[data-do=save]").textContent === "Unsave"`)
	swipe(40)
	swipe(120)
	p.waits("unread", `!document.querySelector("[data-row]").matches(".read")`)

	podcast := value[string](p, `[...document.querySelectorAll("h2 a")].find(a => a.textContent.startsWith("A comet")).getAttribute("href")`)
	play := func(speed string) {
		t.Helper()
		p.opens(podcast)
		p.clicks("Speed") // a page may play after a click
		p.waits("at "+speed, `document.querySelector(".speed").textContent === %s`, speed)
		value[bool](p, `document.querySelector("audio").play().then(() => true)`)
	}
	play("1.25×")
	value[bool](p, `(document.querySelector("audio").currentTime = 20) > 0`)
	p.waits("the position is stored", `Number(localStorage.getItem("position " + document.querySelector("audio").src)) >= 20`)
	play("1.5×")
	p.waits("it goes on", `document.querySelector("audio").currentTime > 20 && document.querySelector("audio").playbackRate === 1.5`)
	p.calm()
}

// Pages that were loaded can be read while the network is away, and nothing of them stays when the reader signs out.
func testReadingOffline(t *testing.T, b *browser) {
	d, p := b.reader(t)
	target, err := url.Parse(d.Base)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(httputil.NewSingleHostReverseProxy(target))
	defer front.Close()
	stored := func() {
		p.opens("/read")
		p.waits("controlled by the worker", `navigator.serviceWorker.controller !== null`)
		p.opens("/read")
		p.follows(craneTitle)
		p.waits("stored", `caches.open("read").then(c => c.match(location.href)).then(r => r !== undefined)`)
	}
	p.base = front.URL
	stored()
	front.CloseClientConnections()
	front.Close()
	p.opens("/read")
	p.sees(craneTitle, "Harbour Post")
	p.follows(craneTitle)
	p.sees("What the crane says")

	p.base = d.Base
	stored()
	p.follows("Sign out")
	p.at("/login")
	p.waits("nothing is stored", `caches.keys().then(all => all.length === 0)`)
}
