package ingest_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

const twoPosts = `<rss version="2.0"><channel><title>t</title><link>http://x.example/</link><description/>
<item><guid>1</guid><title>Ferry</title></item><item><guid>2</guid><title>Storm</title></item></channel></rss>`

func TestAcceptSkipsFilteredEntries(t *testing.T) {
	m := newMemory("https://x.example/feed")
	in := ingest.New(m, ingest.Options{})
	claims, err := m.ClaimSources(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	claim := claims[0]
	accept := func(f feed.Filters) feed.Saved {
		claim.Source.Filters = f
		_, saved, err := in.Accept(t.Context(), claim, parser.Raw{Body: []byte(twoPosts), URL: claim.Source.URL, Received: time.Now()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	storm := feed.Filters{Block: []feed.Filter{{Field: "title", Match: "(?i)STORM"}}}
	if saved := accept(storm); saved.Created != 1 || saved.Filtered != 1 {
		t.Errorf("with the filter: %+v", saved)
	}
	if saved := accept(feed.Filters{}); saved.Created != 1 || saved.Unchanged != 1 {
		t.Errorf("without it the other one is new: %+v", saved)
	}
	if saved := accept(storm); saved.Unchanged != 1 || saved.Filtered != 1 || len(m.entries[claim.Source.URL]) != 2 {
		t.Errorf("what is stored stays: %+v, %d entries", saved, len(m.entries[claim.Source.URL]))
	}
}

// pollFiltered polls two posts through a keep filter.
func pollFiltered(t *testing.T, keep feed.Filter) *bench {
	t.Helper()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(twoPosts))
	}))
	t.Cleanup(origin.Close)
	b := &bench{memory: newMemory(origin.URL), url: origin.URL, reg: prometheus.NewRegistry(), log: make(lines, 100)}
	b.sources[b.url].Filters.Keep = []feed.Filter{keep}
	run(t, ingest.New(b.memory, ingest.Options{Logger: slog.New(b.log), Registerer: b.reg, Fetch: fetch.Options{AllowNetworks: loopback()}}))
	return b
}

func TestPollCountsAndLogsWhatItFiltered(t *testing.T) {
	b := pollFiltered(t, feed.Filter{Field: "title", Match: "Ferry"})
	if state := b.next(t); state.ErrorClass != "" {
		t.Fatalf("%s: %s", state.ErrorClass, state.ErrorText)
	}
	if line := b.log.next(t, "poll"); line["new"].Int64() != 1 || line["filtered"].Int64() != 1 {
		t.Errorf("the log says %v", line)
	}
	const want = `
# HELP feedwire_entries_ingested_total Entries of accepted documents by what became of them.
# TYPE feedwire_entries_ingested_total counter
feedwire_entries_ingested_total{outcome="duplicate"} 0
feedwire_entries_ingested_total{outcome="new"} 1
feedwire_entries_ingested_total{outcome="rejected"} 1
feedwire_entries_ingested_total{outcome="updated"} 0
`
	if err := testutil.GatherAndCompare(b.reg, strings.NewReader(want), "feedwire_entries_ingested_total"); err != nil {
		t.Error(err)
	}
}

func TestPollWithDamagedFiltersFailsAndSaysSo(t *testing.T) {
	b := pollFiltered(t, feed.Filter{Field: "damaged", Match: "{"})
	if state := b.next(t); state.ErrorClass != string(feed.FailureStore) || !strings.Contains(state.ErrorText, "filters") {
		t.Errorf("%s: %s", state.ErrorClass, state.ErrorText)
	}
}
