package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// heard are the next n signals of the stream behind the one with id last, and the id of the last of them.
func heard(t *testing.T, d *daemon, last string, n int) (all []string, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wiretest.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.Base+"/api/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	req.Header.Set("Last-Event-ID", last)
	resp, err := d.Http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); len(all) < n; {
		if !lines.Scan() {
			t.Fatalf("the stream ends after %d of %d signals: %v", len(all), n, lines.Err())
		}
		if said, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = said
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			all = append(all, data)
		}
	}
	return all, id
}

// example is a signal with what differs from run to run made alike: its id and its time.
func example(t *testing.T, text string) (s map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"id", "time"} {
		if _, ok := s[field].(string); !ok {
			t.Errorf("%s is %v", field, s[field])
		}
		s[field] = "…"
	}
	return s
}

// message is what a webhook is sent, likewise.
func message(t *testing.T, text string) (m map[string]any) {
	t.Helper()
	var data struct{ Data json.RawMessage }
	if err := errors.Join(json.Unmarshal([]byte(text), &m), json.Unmarshal([]byte(text), &data)); err != nil {
		t.Fatal(err)
	}
	m["timestamp"], m["data"] = "…", example(t, string(data.Data))
	return m
}

// The feed whose signals docs/reference/signals.md shows does to the daemon what is written there, and the stream has the very examples,
// each heard behind the last one; and a webhook gets the one of a post.
func TestTheDaemonSendsTheSignalsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	web := wiretest.NewOrigin(t)
	const path, public = "/feed.xml", "https://blog.example.org/feed.xml"
	serve := func(title string, entries ...string) {
		web.SetRaw(path, []byte(`<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:harbour</id><title>`+title+
			`</title><updated>2026-11-20T20:30:00Z</updated>`+strings.Join(entries, "")+`</feed>`))
	}
	entry := func(guid, title, slug, text, updated string) string {
		return fmt.Sprintf(`<entry><id>%s</id><title>%s</title><link href="https://blog.example.org/%s"/><author><name>Ada Quay</name></author>`+
			`<published>2026-11-20T20:30:00Z</published><updated>%s</updated><content type="html">&lt;p>%s&lt;/p></content></entry>`,
			guid, title, slug, updated, text)
	}
	const then = "2026-11-20T20:30:00Z"
	first := entry("post-16", "A ship comes", "ship", "It is long.", then)
	bridge := entry("post-17", "A bridge opens", "bridge", "The bridge opens on Monday.", then)
	later := entry("post-17", "A bridge opens, a day later", "bridge", "The bridge opens on Tuesday.", "2026-11-20T22:40:00Z")
	d := start(t, storetest.RedisAOF(t), "")
	examples := block(t, "json signal")
	created, renamed, held, made, edited := examples[0], examples[1], examples[2], examples[3], examples[4]

	in := newInbox(t)
	d.do(http.MethodPost, "/api/v1/webhooks", map[string]any{"url": in.URL + "/hook", "kinds": []string{"post_created"}}, nil)
	last, topic := "0-0", ""
	step := func(what string, want ...string) {
		t.Helper()
		var got []string
		got, last = heard(t, d, last, len(want))
		for i := range want {
			if want[i] == "" {
				continue
			}
			if diff := cmp.Diff(example(t, want[i]), example(t, strings.ReplaceAll(got[i], topic, public))); diff != "" {
				t.Errorf("%s (-example +stream):\n%s", what, diff)
			}
		}
	}
	serve("Harbour Blog", first)
	src := d.add(web.URL+path, nil)
	topic = src.URL
	step("a new feed", created, "")
	serve("The Harbour Blog", bridge, first)
	d.poll(src)
	step("a new post and a new title", made, renamed)
	wiretest.Eventually(t, "a webhook told of both posts", func() bool { return len(in.got("/hook")) == 2 })
	want, got := message(t, block(t, "json webhook")[0]), message(t, strings.ReplaceAll(in.got("/hook")[1], topic, public))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the webhook (-example +sent):\n%s", diff)
	}
	serve("The Harbour Blog", later, first)
	d.poll(src)
	step("an edited post", edited)
	// Six posts more, and then a new template for all eight, in which thirty old ones come back.
	known := func(more string) (all []string) {
		for n := 23; n > 17; n-- {
			all = append(all, entry(fmt.Sprintf("post-%d", n), fmt.Sprintf("Post %d", n), fmt.Sprintf("%d", n), "Text."+more, then))
		}
		all = append(all, entry("post-17", "A bridge opens, a day later", "bridge", "The bridge opens on Tuesday."+more, "2026-11-20T22:40:00Z"))
		return append(all, entry("post-16", "A ship comes", "ship", "It is long."+more, then))
	}
	serve("The Harbour Blog", known("")...)
	d.poll(src)
	step("posts that come", "", "", "", "", "", "")
	all := known("&lt;/p>&lt;p>Share")
	for n := range 30 {
		old := entry(fmt.Sprintf("old-%d", n), fmt.Sprintf("Old %d", n), fmt.Sprintf("old-%d", n), "Text.", "2020-01-01T00:00:00Z")
		all = append(all, strings.ReplaceAll(old, then, "2020-01-01T00:00:00Z"))
	}
	serve("The Harbour Blog", all...)
	d.poll(src)
	step("a new template", held)
}
