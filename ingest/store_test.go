package ingest_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// memory is a Store that keeps all promises of the interface, but nothing beyond the test.
type memory struct {
	mu       sync.Mutex
	sources  map[string]*feed.Source
	leases   map[string]string // token by URL
	entries  map[string]map[string]string
	tokens   int
	released int
	renewed  int
	pauses   map[string]time.Time // by host, what the last poll there asked for
	calls    int
	err      error                  // of every call while it is set
	saveErr  error                  // of SaveEntries while it is set
	onSave   func(claim feed.Claim) // called before entries are saved
	finished chan *feed.PollState   // each state that was stored; a pointer, because the buffer is made for every test
	polls    map[string][]time.Time // when each source was polled
}

func newMemory(urls ...string) *memory {
	m := &memory{
		sources: map[string]*feed.Source{}, leases: map[string]string{}, entries: map[string]map[string]string{},
		finished: make(chan *feed.PollState, 10_000), polls: map[string][]time.Time{}, pauses: map[string]time.Time{},
	}
	for _, u := range urls {
		m.sources[u] = &feed.Source{URL: u, Poll: feed.PollState{NextPoll: time.Now()}}
	}
	return m
}

func (m *memory) ClaimSources(_ context.Context, most int, _ time.Duration) ([]feed.Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if m.err != nil {
		return nil, m.err
	}
	var due []*feed.Source
	for u, s := range m.sources {
		if m.leases[u] == "" && !s.Poll.Gone && !s.Poll.NextPoll.After(time.Now()) {
			due = append(due, s)
		}
	}
	slices.SortFunc(due, func(a, b *feed.Source) int { return a.Poll.NextPoll.Compare(b.Poll.NextPoll) })
	var claims []feed.Claim
	for _, s := range due[:min(most, len(due))] {
		m.tokens++
		claim := feed.Claim{Source: *s, Due: s.Poll.NextPoll, Token: "t" + strconv.Itoa(m.tokens)}
		m.leases[s.URL] = claim.Token
		m.polls[s.URL] = append(m.polls[s.URL], time.Now())
		claims = append(claims, claim)
	}
	return claims, nil
}

// ClaimSource takes the URL of the source for its id.
func (m *memory) ClaimSource(_ context.Context, id string, _ time.Duration) (feed.Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	source := m.sources[id]
	switch {
	case source == nil:
		return feed.Claim{}, feed.ErrNotFound
	case m.leases[id] != "":
		return feed.Claim{}, feed.ErrConflict
	}
	m.tokens++
	m.leases[id] = "t" + strconv.Itoa(m.tokens)
	return feed.Claim{Source: *source, Token: m.leases[id], Due: source.Poll.NextPoll}, nil
}

func (m *memory) CompareEntries(_ context.Context, source feed.Source, doc feed.Document) ([]feed.Comparison, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	feedURL, entries := source.URL, doc.Entries
	all := make([]feed.Comparison, len(entries))
	for i := range entries {
		switch digest := m.entries[feedURL][entries[i].GUID]; {
		case digest == "":
			all[i].Verdict = feed.VerdictNew
		case digest != entries[i].Digest():
			all[i] = feed.Comparison{Verdict: feed.VerdictChanged, Changed: []string{"title"}}
		default:
			all[i].Verdict = feed.VerdictSame
		}
	}
	return all, m.err
}

func (m *memory) ClockSetBack(context.Context) (int, error) { return 0, nil }

func (m *memory) NextDue(context.Context) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return time.Time{}, m.err
	}
	var next time.Time
	for u, s := range m.sources {
		if m.leases[u] == "" && !s.Poll.Gone && (next.IsZero() || s.Poll.NextPoll.Before(next)) {
			next = s.Poll.NextPoll
		}
	}
	return next, nil
}

func (m *memory) SaveEntries(_ context.Context, claim feed.Claim, doc feed.Document) (feed.Saved, error) {
	if m.onSave != nil {
		m.onSave(claim)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.err != nil:
		return feed.Saved{}, m.err
	case m.saveErr != nil:
		return feed.Saved{}, m.saveErr
	case m.leases[claim.Source.URL] != claim.Token:
		return feed.Saved{}, feed.ErrLeaseLost
	}
	var saved feed.Saved
	known := m.entries[claim.Source.URL]
	if known == nil {
		known = map[string]string{}
		m.entries[claim.Source.URL] = known
	}
	for _, e := range doc.Entries {
		switch digest := known[e.GUID]; {
		case digest == "":
			saved.Created++
		case digest != e.Digest():
			saved.Modified++
		default:
			saved.Unchanged++
		}
		known[e.GUID] = e.Digest()
	}
	return saved, nil
}

func (m *memory) RenewLease(_ context.Context, claim feed.Claim, _ time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renewed++
	if m.leases[claim.Source.URL] != claim.Token {
		return feed.ErrLeaseLost
	}
	return m.err
}

func (m *memory) FinishPoll(_ context.Context, claim *feed.Claim, polled *feed.PollResult) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.err != nil:
		return m.err
	case m.leases[claim.Source.URL] != claim.Token:
		return feed.ErrLeaseLost
	}
	source := m.sources[claim.Source.URL]
	source.Poll = polled.State
	source.Polls = append([]feed.Poll{polled.Poll}, source.Polls...)
	m.pauses[feed.Host(claim.Source.URL)] = polled.PauseHost
	delete(m.leases, claim.Source.URL)
	state := polled.State
	m.finished <- &state
	return nil
}

func (m *memory) ReleaseSource(_ context.Context, claim *feed.Claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	m.released++
	delete(m.leases, claim.Source.URL)
	return nil
}

// fail makes every call fail with err; nil makes them work again.
func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// due makes a source due now.
func (m *memory) due(u string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sources[u].Poll.NextPoll = time.Now()
}

// poll is the poll state of a source.
func (m *memory) poll(u string) feed.PollState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sources[u].Poll
}

// asked counts the calls of ClaimSources.
func (m *memory) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

// held counts the claims that have not ended.
func (m *memory) held() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.leases)
}

// fastest is how long the shortest poll of each source took.
func (m *memory) fastest() map[string]time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]time.Duration{}
	for u, s := range m.sources {
		for _, p := range s.Polls {
			took := time.Duration(p.DurationMS) * time.Millisecond
			if fastest, seen := all[u]; !seen || took < fastest {
				all[u] = took
			}
		}
	}
	return all
}

// next waits for the state that the next poll leaves.
func (m *memory) next(t testing.TB) feed.PollState {
	t.Helper()
	select {
	case state := <-m.finished:
		return *state
	case <-time.After(time.Minute):
		t.Fatal("no poll has ended within a minute")
		return feed.PollState{}
	}
}
