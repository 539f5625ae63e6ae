package search_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/search"
	"github.com/feedwire/feedwire/store/storetest"
)

var benchEntries = flag.Int("entries", 20_000, "entries of BenchmarkSearch")

const (
	benchWords   = 100_000 // of the vocabulary
	benchText    = 3000    // bytes of a text
	benchSources = 200
)

// library is a store of entries that are made when they are read: their words have the frequencies of a natural language.
type library struct{ size int }

func benchSource(n int) string {
	return fmt.Sprintf("https://source-%d.example/feed.xml", n%benchSources)
}

// benchWord returns the word with a rank. The word 40 is in about 5 % of the entries.
func benchWord(rank uint64) string {
	word := []byte{'w'}
	for ; rank > 0; rank /= 20 {
		word = append(word, "bcdfghjklmnpqrstvwxz"[rank%20], "aeiou"[rank%5])
	}
	return string(word)
}

// entry returns the entry with a number.
func (l *library) entry(n int) feed.Entry {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	zipf := rand.NewZipf(r, 1.07, 12, benchWords)
	var text strings.Builder
	for text.Len() < benchText {
		text.WriteString(benchWord(zipf.Uint64()))
		text.WriteByte(' ')
	}
	if n%20 == 0 {
		text.WriteString("frequent ")
	}
	if n%1000 == 0 {
		text.WriteString("quite rare ")
	}
	e := feed.Entry{
		ID: fmt.Sprint("Entry:", n), FeedURL: benchSource(n), GUID: strconv.Itoa(n), Link: fmt.Sprintf("https://site.example/%d/page", n),
		Title: fmt.Sprintf("Title %d %s", n, benchWord(zipf.Uint64())), Content: text.String(), Timestamp: noon.Add(time.Duration(n) * time.Second),
		Authors: []string{fmt.Sprintf("Author%d Smith", n%500)},
	}
	e.Set("categories", fmt.Sprintf(`["category%d"]`, n%300))
	e.Set("language", "en")
	return e
}

func (l *library) Proof(string) string                        { return "library" }
func (l *library) FailoverEpoch() uint64                      { return 0 }
func (l *library) LastSignal(context.Context) (string, error) { return "1-0", nil }

func (l *library) BareSignals(ctx context.Context, _ string, _ int, wait time.Duration) ([]feed.Signal, error) {
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
	return nil, nil
}

func (l *library) ListSources(context.Context) (all []feed.Source, err error) {
	for n := range benchSources {
		all = append(all, feed.Source{URL: benchSource(n)})
	}
	return all, nil
}

func (l *library) SourcesByURL(context.Context, []string) ([]feed.Source, error) { return nil, nil }

func (l *library) EntriesPage(_ context.Context, feedURL string, after feed.Cursor, limit int) (page []feed.Entry, next feed.Cursor, err error) {
	source, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(feedURL, "https://source-"), ".example/feed.xml"))
	n := source
	if !after.IsZero() {
		n = int(after.Score)
	}
	for ; n < l.size && len(page) < limit; n += benchSources {
		if n > 0 {
			page = append(page, l.entry(n))
		}
	}
	if n >= l.size {
		return page, feed.Cursor{}, nil
	}
	return page, feed.Cursor{Score: float64(n), Member: "m"}, nil
}

func (l *library) ContentsByID(_ context.Context, ids []string) (map[string]feed.Entry, error) {
	found := make(map[string]feed.Entry, len(ids))
	for _, id := range ids {
		n, _ := strconv.Atoi(strings.TrimPrefix(id, "Entry:"))
		found[id] = l.entry(n)
	}
	return found, nil
}

func (l *library) HeadlinesByID(ctx context.Context, ids []string) (map[string]feed.Entry, error) {
	return l.ContentsByID(ctx, ids)
}

func (l *library) NewestIDs(context.Context, string, int) ([]string, error) { return nil, nil }

// benchKinds are the kinds of queries. %d is replaced by another number in each query.
var benchKinds = []struct{ name, query string }{
	{"rare word", "rare"}, {"unknown word", "xyzzy%d"}, {"one entry", "title:%d"}, {"a word of a tenth", benchWord(30)}, {"5 percent", "frequent"},
	{"two words", benchWord(200) + " " + benchWord(300)}, {"three words", benchWord(50) + " " + benchWord(60) + " " + benchWord(70)},
	{"rare and frequent", "rare frequent"}, {"phrase", `"quite rare"`}, {"phrase of frequent words", `"` + benchWord(3) + " " + benchWord(4) + `"`},
	{"prefix", "wbab*"}, {"long prefix", "frequen*"}, {"author", "author:author%d"}, {"category", "category:category%d"}, {"title", "title:" + benchWord(100)},
	{"excluded", benchWord(200) + " -frequent"}, {"address", "https://site.example/%d/page"}, {"dates", "frequent after:2026-11-28 before:2026-11-29"},
	{"most common word", benchWord(0)}, {"four terms", "frequent " + benchWord(40) + " -rare category:category%d"},
}

// BenchmarkSearch builds an index of entries of 3 KB and searches it in 20 ways. It reports the size of the index in relation to the texts, the
// processors that building took on average, the time, and for each kind of query the 99th percentile.
func BenchmarkSearch(b *testing.B) {
	if testing.Short() {
		b.Skip("it builds a large index")
	}
	l, dir := &library{*benchEntries + 1}, filepath.Join(b.TempDir(), "search")
	x, err := search.New(l, search.Options{Dir: dir, Text: func(html string, _ int) string { return html }})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error)
	began, used := time.Now(), processorTime(b)
	go func() { done <- x.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}()
	storetest.Await(b, 6*time.Hour, "the index is complete", func() bool { return x.Err() == nil && !x.Incomplete() })
	wall := time.Since(began)
	busy := processorTime(b) - used
	texts := 0
	for n := 1; n <= 1000; n++ {
		e := l.entry(n * *benchEntries / 1000)
		texts += len(e.Title) + len(e.Content) + len(e.Authors[0]) + len(e.Link)
	}
	size := float64(sizeOf(b, dir)) / (float64(texts) / 1000 * float64(*benchEntries))
	b.Run("build", func(b *testing.B) {
		for b.Loop() { // it was built before
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(size, "of-text")
		b.ReportMetric(busy.Seconds()/wall.Seconds(), "processors")
		b.ReportMetric(wall.Seconds(), "s")
	})
	for _, kind := range benchKinds {
		b.Run(kind.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				query := strings.ReplaceAll(kind.query, "%d", strconv.Itoa(1+len(took)%300))
				s, err := feed.ParseSearch(query)
				if err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				if _, err := x.Find(b.Context(), &s, nil, feed.Cursor{}, 25); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// processorTime returns the time for which the processors worked for this program.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sizeOf returns the bytes of the files in a directory.
func sizeOf(b *testing.B, dir string) (size int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}
