package search_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestWordsAreFoundByStemLanguageAndField(t *testing.T) {
	w := newWire()
	english := func(e *feed.Entry) { e.Set("language", "en-GB") }
	w.put(1, harbour, "Quays reopened", "The cranes were running again.", english)
	w.put(2, hafen, "Die Häfen", "Straßen am Hafen; das Café öffnet.", func(e *feed.Entry) { e.Authors = []string{"Eva Öhl"} })
	w.put(3, harbour, "A crane", "Nothing runs on the old quay, nothing at all.", english)
	w.put(4, harbour, "Tokyo", "東京都の港", func(e *feed.Entry) { e.Set("categories", `["Far East"]`) })
	d := start(t, w)
	w.put(5, harbour, "Late", "A running commentary by Eva.", english, func(e *feed.Entry) { e.Link = "https://harbour.example/2026/late-news" })
	w.put(6, feed.MemberURL(7), "Of a member", "Ships.")
	d.caughtUp()
	for text, want := range map[string]string{
		"run": "5 3 1", "RUNNING": "5 3 1", "crane quay": "3 1", "crane -quay": "", "hafen": "2", "strasse": "2", "cafe": "2", "café": "2",
		"eva": "5 2", "author:eva": "2", "author:ohl": "2", "title:crane": "3", "cran*": "3 1", "c*": "", `"old quay"`: "3",
		`"quay old"`: "", `crane -"old quay"`: "1", "京都": "4", "都京": "", `category:"far east"`: "4", `category:east`: "4", "nothing": "3", "": "6 5 4 3 2 1",
		"after:2026-11-29": "", "before:2026-11-29 late": "5", "-run": "6 4 2",
		"https://harbour.example/2026/late-news": "5", "https://harbour.example/2026": "5", "https://harbour.example/2025": "", "link:late": "5",
	} {
		if got := d.find(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, c := range []struct {
		s    feed.Search
		want string
	}{
		{feed.Search{Feeds: []string{hafen}}, "2"}, {feed.Search{Feeds: []string{}}, ""}, {feed.Search{Feeds: []string{hafen}, Posts: true}, "6 2"},
		{feed.Search{From: noon.Add(2 * time.Second), Until: noon.Add(4 * time.Second)}, "3 2"},
		{feed.Search{Terms: []feed.SearchTerm{{Text: "nothing"}}, ByRelevance: true}, "3"},
	} {
		if got := numbers(d.all(&c.s)); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.s, got, c.want)
		}
	}
}

func TestPassagesShowWhereWordsMatch(t *testing.T) {
	w := newWire()
	w.put(1, harbour, "One", strings.Repeat("Wörter ohne Ende. ", 20)+"Die Kräne ruhen. "+strings.Repeat("Noch mehr. ", 30), func(e *feed.Entry) { e.Set("language", "de") })
	w.put(2, harbour, "Two", "Short.")
	d := start(t, w)
	passage := func(text string) string {
		s, _ := feed.ParseSearch(text)
		var b strings.Builder
		for _, part := range d.all(&s)[0].Passage {
			if part.Match {
				part.Text = "[" + part.Text + "]"
			}
			b.WriteString(part.Text)
		}
		return b.String()
	}
	got := passage("kran")
	if !strings.HasPrefix(got, "… ") || !strings.Contains(got, "Die [Kräne] ruhen") || !strings.HasSuffix(got, " …") || len(got) > 270 {
		t.Errorf("got %q", got)
	}
	if got := passage("title:two"); got != "Short." {
		t.Errorf("got %q", got)
	}
}

func TestIndexFollowsTheStore(t *testing.T) {
	w := newWire()
	for n := range 120 {
		w.put(n+1, harbour, fmt.Sprint("title ", n+1), "quay")
	}
	d := start(t, w)
	w.put(5, harbour, "edited", "crane")
	w.remove(6, false)
	w.remove(7, true)
	d.caughtUp()
	if got := d.find("crane"); got != "5" {
		t.Errorf("after an edit: got %q", got)
	}
	if got := len(strings.Fields(d.find("quay"))); got != 117 {
		t.Errorf("got %d entries, want 117", got)
	}
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.entries["Entry:200"] = feed.Entry{ID: "Entry:200", FeedURL: hafen, Title: "unsignalled", Timestamp: noon}
	w.signal(feed.Signal{Kind: feed.FeedModified, FeedURL: hafen, Unsignalled: feed.Unsignalled{Created: 1}})
	w.mu.Unlock()
	d.caughtUp()
	if got := d.find("unsignalled"); got != "200" {
		t.Errorf("an entry without a signal of its own: got %q", got)
	}
	w.setAway(feed.ErrUnavailable)
	storetest.Await(t, 5*time.Second, "the index fails", func() bool { return d.Err() != nil })
	if d.Incomplete() {
		t.Error("the index is closed while the store is away")
	}
	w.setAway(nil)
	w.put(250, harbour, "back", "foghorn")
	d.caughtUp()
	if got := d.find("foghorn"); got != "250" || d.Err() != nil {
		t.Errorf("after the store was away: got %q, %v", got, d.Err())
	}
	d.stop()
	if _, err := d.Find(t.Context(), &feed.Search{}, nil, feed.Cursor{}, 1); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("after the end: got %v", err)
	}

	w.put(300, harbour, "while away", "lighthouse")
	d = open(t, w, d.dir)
	if got := d.find("lighthouse"); got != "300" {
		t.Errorf("after a restart: got %q", got)
	}
	d.stop()
	w.put(301, harbour, "trimmed", "lighthouse")
	w.put(302, harbour, "last", "lighthouse")
	w.trimmed = w.signals[len(w.signals)-2].ID
	if got := open(t, w, d.dir).find("lighthouse"); got != "302 301 300" {
		t.Errorf("after a signal was trimmed unread: got %q", got)
	}
}

// A damaged, foreign or older index is built anew.
func TestUnusableIndexIsBuiltAnew(t *testing.T) {
	segments := func(dir string) []string {
		all, err := filepath.Glob(filepath.Join(dir, "store", "*.zap"))
		if err != nil || len(all) == 0 {
			t.Fatalf("there are no segments in %s: %v", dir, err)
		}
		return all
	}
	flip := func(path string, at int64) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[at] ^= 0xff
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(dir string, w *wire){
		"a flipped byte":     func(dir string, _ *wire) { flip(segments(dir)[0], 10) },
		"a cut segment":      func(dir string, _ *wire) { _ = os.Truncate(segments(dir)[0], 100) },
		"an empty segment":   func(dir string, _ *wire) { _ = os.Truncate(segments(dir)[0], 0) },
		"a missing segment":  func(dir string, _ *wire) { _ = os.Remove(segments(dir)[0]) },
		"a cut database":     func(dir string, _ *wire) { _ = os.Truncate(filepath.Join(dir, "store", "root.bolt"), 4096) },
		"no description":     func(dir string, _ *wire) { _ = os.Remove(filepath.Join(dir, "index_meta.json")) },
		"another store":      func(_ string, w *wire) { w.proof = "b" },
		"an empty directory": func(dir string, _ *wire) { _ = os.RemoveAll(filepath.Join(dir, "store")) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire()
			for n := range 20 {
				w.put(n+1, harbour, "quay", strings.Repeat(fmt.Sprint("crane", n, " "), 30))
			}
			d := start(t, w)
			d.stop()
			spoil(d.dir, w)
			d = open(t, w, d.dir)
			if got := len(strings.Fields(d.find("quay"))); got != 20 || d.find("crane3") != "4" {
				t.Errorf("got %d entries, want 20", got)
			}
		})
	}
}

// A killed daemon leaves the files as they are at some moment.
func TestIndexSurvivesAKill(t *testing.T) {
	w := newWire()
	d := start(t, w)
	var killed []string
	for n := range 90 {
		w.put(n+1, harbour, "quay", strings.Repeat(fmt.Sprint("crane", n, " "), 10))
		if n%30 == 29 {
			dir := filepath.Join(t.TempDir(), "search")
			copyFiles(t, d.dir, dir)
			killed = append(killed, dir)
		}
	}
	d.stop()
	for i, dir := range killed {
		again := open(t, w, dir)
		if got := len(strings.Fields(again.find("quay"))); got != 90 {
			t.Errorf("copy %d: got %d entries, want 90", i, got)
		}
		again.stop()
	}
}

// copyFiles copies a directory whose files change meanwhile.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if err == nil && d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		text, readErr := os.ReadFile(path)
		if errors.Is(errors.Join(err, readErr), fs.ErrNotExist) { // the index has removed it
			return nil
		}
		return errors.Join(err, readErr, os.WriteFile(target, text, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
}
