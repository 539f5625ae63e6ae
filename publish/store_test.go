package publish_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// memory is a store in memory that keeps the promises of publish.Store and can be told to fail.
type memory struct {
	mu          sync.Mutex
	articles    []feed.Article // published, oldest publication first
	impressions map[string]int
	fetches     map[string]feed.ImpressionResult
	promoted    []string
	completed   int // fetches recorded
	version     int
	versions    int           // reads of FeedVersion
	records     int           // calls of RecordImpressions
	renders     int           // calls of PublishedArticles, one a page
	down        bool          // every call fails
	lose        int           // so many recordings are done and answered with an error
	die         bool          // the next recording is done, and then every call fails, the answer to it first
	damaged     int           // so many recordings fail for good
	refusals    int           // so many recordings fail for a reason that has nothing to do with the fetches
	torn        bool          // pages of articles after the first fail
	between     func()        // called under the lock after the first page of articles; nil: nothing
	slow        time.Duration // of FeedVersion
}

func newMemory(articles ...feed.Article) *memory {
	return &memory{
		articles: articles, impressions: make(map[string]int), fetches: make(map[string]feed.ImpressionResult),
	}
}

// stories makes n articles published now.
func stories(n int) []feed.Article {
	var list []feed.Article
	for i := range n {
		list = append(list, story(i, fmt.Sprintf("<p>Text of story %d.</p>", i)))
	}
	return list
}

func story(i int, content string) feed.Article {
	guid := strconv.Itoa(i)
	at := time.Now().Add(time.Duration(i-1000) * time.Second).UTC().Truncate(time.Second)
	return feed.Article{
		UUID: feed.ArticleUUID("https://example.org/feed", guid), GUID: guid, FeedURL: "https://example.org/feed",
		Title: "Story " + guid, Canonical: "https://example.org/" + guid, Authors: []string{"Ann", "Ben"},
		Summary: "<p>Summary &amp; more</p>", Content: content, Digest: "digest" + guid, Published: at, Modified: at,
		Feeds: map[string]feed.Placement{"production": {State: feed.StatePublished, Revision: 1, Published: at}},
	}
}

func (m *memory) FeedVersion(ctx context.Context, _ string) (string, error) {
	m.mu.Lock()
	m.versions++
	slow := m.slow
	version, down := m.version, m.down
	m.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	if down {
		return "", fmt.Errorf("dial: %w", feed.ErrUnavailable)
	}
	return strconv.Itoa(version), nil
}

func (m *memory) PublishedArticles(_ context.Context, typ string, since time.Time, retireAfter, offset, limit int) (
	articles []feed.Article, next int, err error,
) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.renders++
	if m.down || m.torn && offset > 0 {
		return nil, 0, feed.ErrUnavailable
	}
	for _, a := range m.articles {
		if !a.Feeds[typ].Published.Before(since) {
			articles = append(articles, a)
		}
	}
	if retireAfter == 0 {
		slices.Reverse(articles)
	}
	articles = articles[min(offset, len(articles)):]
	if len(articles) > limit {
		articles, next = articles[:limit], offset+limit
	}
	if offset == 0 && m.between != nil {
		m.between()
	}
	return articles, next, nil
}

func (m *memory) RecordImpressions(_ context.Context, _ string, fetches feed.Fetches, retireAfter int) (
	feed.ImpressionResult, error,
) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records++
	if m.down {
		return feed.ImpressionResult{}, feed.ErrUnavailable
	}
	if m.refusals > 0 {
		m.refusals--
		return feed.ImpressionResult{}, errors.New("ERR unknown command 'EVALSHA'")
	}
	if m.damaged > 0 {
		m.damaged--
		return feed.ImpressionResult{}, fmt.Errorf("WRONGTYPE a key holds another type: %w", feed.ErrDamaged)
	}
	var result feed.ImpressionResult
	for _, f := range fetches.All {
		did, again := m.fetches[f.ID]
		if again {
			result.Known += f.Times
		} else {
			for _, s := range fetches.Shown {
				for range f.Times {
					m.impress(s.UUID, retireAfter, &did)
				}
			}
			m.fetches[f.ID] = did
			m.completed += f.Times
			m.version++
		}
		result.Counted += did.Counted
		result.Ignored += did.Ignored
		result.Promoted = append(result.Promoted, did.Promoted...)
	}
	if m.die {
		m.die, m.down, m.lose = false, true, m.lose+1
	}
	if m.lose > 0 {
		m.lose--
		return feed.ImpressionResult{}, fmt.Errorf("read reply: %w", feed.ErrUnavailable)
	}
	return result, nil
}

// impress counts one impression.
func (m *memory) impress(uuid string, retireAfter int, result *feed.ImpressionResult) {
	i := slices.IndexFunc(m.articles, func(a feed.Article) bool { return a.UUID == uuid })
	if i < 0 {
		result.Ignored++
		return
	}
	m.impressions[uuid]++
	result.Counted++
	if m.impressions[uuid] == retireAfter {
		m.articles = slices.Delete(m.articles, i, i+1)
		m.promoted = append(m.promoted, uuid)
		result.Promoted = append(result.Promoted, uuid)
	}
}

// set changes the store under its lock.
func (m *memory) set(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

// counts gives the impressions of each article that was shown, in no order, and how many were promoted.
func (m *memory) counts() (impressions []int, promoted int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.impressions {
		impressions = append(impressions, n)
	}
	return impressions, len(m.promoted)
}

// total is the number of all impressions.
func (m *memory) total() int {
	impressions, _ := m.counts()
	sum := 0
	for _, n := range impressions {
		sum += n
	}
	return sum
}

// looks is how often the version was asked for.
func (m *memory) looks() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.versions
}

// done is how many fetches are recorded.
func (m *memory) done() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.completed
}

// AddVisits forgets the visits.
func (m *memory) AddVisits(context.Context, string, []feed.Visit) error { return nil }
