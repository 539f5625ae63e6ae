package daemon

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The rate at which whoever follows the signals has to keep up, and for how long.
const (
	newsPerSecond = 200
	newsSeconds   = 3
	allNews       = newsPerSecond * newsSeconds
)

// brings saves that many posts of a source, one for each signal, at the rate.
func (d *daemon) brings(src feed.Source, content string) {
	d.t.Helper()
	const atOnce = newsPerSecond / 20
	pulse := time.NewTicker(time.Second / 20)
	defer pulse.Stop()
	for n := 0; n < allNews; n += atOnce {
		doc := feed.Document{About: src.About}
		for i := range atOnce {
			guid := fmt.Sprintf("news-%d", n+i)
			doc.Entries = append(doc.Entries, feed.Entry{
				FeedURL: src.URL, GUID: guid, Title: "News " + guid, Link: "http://x.example/" + guid, Content: content, Timestamp: time.Now(),
			})
		}
		if _, err := d.app.store.Entries.SaveEntries(d.t.Context(), feed.Claim{Source: src}, doc); err != nil {
			d.t.Fatal(err)
		}
		<-pulse.C
	}
}

// outOfReach is a source that has no feed, and is for no outgoing feed.
func (d *daemon) outOfReach() feed.Source {
	d.t.Helper()
	var src feed.Source
	d.do(http.MethodPost, "/api/v1/sources", map[string]any{"url": wiretest.NewOrigin(d.t).URL + "/feed.xml", "feeds": []string{}}, &src)
	return d.untilPolled(src.URL)
}

// followsTail reads signals from a stream until so many have come or it ends, and gives their ids.
func (d *daemon) followsTail(ctx context.Context, after string, most int) (ids []string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.Base+"/api/v1/events?after="+after, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for len(ids) < most && lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			ids = append(ids, id)
		}
	}
	return ids, lines.Err()
}

// neverReads opens a stream and reads nothing of it.
func (d *daemon) neverReads() {
	d.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.Base, "http://"))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		d.t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", d.Token)
	wiretest.Eventually(d.t, "open", func() bool { return d.metric("feedwire_event_streams", "", "") == 1 })
}

// used is how much memory of the process is in use.
func used() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Whoever follows the signals gets each of them once and in order, at 200 a second; whoever does not read is let go, and
// neither makes the daemon grow.
func TestTailKeepsUp(t *testing.T) {
	const content, mostGrowth = 32 << 10, 12 << 20 // all news together have 19 MiB
	d := start(t, storetest.RedisAOF(t), "")
	src := d.outOfReach()
	all := d.signals()
	last := all[len(all)-1].ID
	before := used()
	d.neverReads()
	type tail struct {
		ids []string
		err error
	}
	came := make(chan tail, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		ids, err := d.followsTail(ctx, last, allNews)
		came <- tail{ids, err}
	}()
	wiretest.Eventually(t, "both open", func() bool { return d.metric("feedwire_event_streams", "", "") == 2 })
	d.brings(src, strings.Repeat("x", content))
	got := <-came
	if got.err != nil || len(got.ids) != allNews {
		t.Fatalf("the stream ended with %v after %d of %d signals", got.err, len(got.ids), allNews)
	}
	for after, i := last, 0; i < allNews; {
		var page feed.Page[feed.Signal]
		d.do(http.MethodGet, "/api/v1/signals?limit=200&after="+after, nil, &page)
		if len(page.Items) == 0 {
			t.Fatalf("the store has %d of %d signals", i, allNews)
		}
		for _, s := range page.Items {
			if got.ids[i] != s.ID {
				t.Fatalf("signal %d of the stream is %s, want %s", i, got.ids[i], s.ID)
			}
			i++
		}
		after = page.Next
	}
	var asked time.Time
	wiretest.Eventually(t, "let go", func() bool { // after ten seconds
		if time.Since(asked) < time.Second { // to gather all metrics is expensive with the race detector
			return false
		}
		asked = time.Now()
		return d.metric("feedwire_event_streams_ended_total", "reason", "slow") == 1
	})
	if grown := used() - before; grown > mostGrowth {
		t.Errorf("the daemon has grown by %d bytes, want at most %d", grown, mostGrowth)
	}
}
