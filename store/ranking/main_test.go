package ranking_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	harbour = storetest.Harbour
	ann     = int64(83123) // writes posts
	bob     = int64(7)
	eve     = int64(8)
	week    = 7 * 24 * time.Hour
)

// house is a store whose users vote on entries.
type house struct {
	*store.Store
	t     testing.TB
	now   *storetest.Clock
	raw   *storetest.Redigo
	count int // of entries
}

// each runs a test on each engine and in both layouts.
func each(t *testing.T, test func(h *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(&house{Store: storetest.New(t, opts), t: t, now: now, raw: raw})
	})
}

func (h *house) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// fails fails the test if an error is not the wanted one.
func (h *house) fails(err, want error) {
	h.t.Helper()
	if !errors.Is(err, want) {
		h.t.Errorf("got the error %v, want %v", err, want)
	}
}

// entry returns an entry of a source. Rankings do not read the entries of the store.
func (h *house) entry(feedURL, title string, at time.Time) *feed.Entry {
	h.count++
	return &feed.Entry{ID: fmt.Sprint("Entry:", h.count), FeedURL: feedURL, Title: title, Link: "https://harbour.example/" + title, Timestamp: at}
}

// post returns an entry that ann posts now.
func (h *house) post(guid string) *feed.Entry {
	h.t.Helper()
	e := h.entry(feed.MemberURL(ann), guid, h.now.Time)
	h.ok(h.Rankings.RankEntry(h.t.Context(), e))
	return e
}

func (h *house) vote(e *feed.Entry, user int64, v feed.Vote) feed.Score {
	h.t.Helper()
	score, err := h.Rankings.Vote(h.t.Context(), e, user, v)
	h.ok(err)
	return score
}

// want fails the test unless an entry has a number of votes, and the score that follows from its time.
func (h *house) want(what string, e *feed.Entry, votes int) {
	h.t.Helper()
	a := h.article(e)
	time, _ := strconv.ParseFloat(a["time"], 64)
	score := h.score("score:", e)
	if a["votes"] != strconv.Itoa(votes) || score == "" || number(score) != time+432*float64(votes) {
		h.t.Errorf("%s: the score is %s, want %d votes: %v", what, score, votes, a)
	}
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

func (h *house) article(e *feed.Entry) map[string]string {
	h.t.Helper()
	return h.raw.StringMap("HGETALL", "article:"+e.Number())
}

// score returns the score of an entry in a list of Redis; empty: it is not there.
func (h *house) score(key string, e *feed.Entry) string {
	h.t.Helper()
	text, _ := h.raw.Do("ZSCORE", key, "article:"+e.Number()).([]byte)
	return string(text)
}

// voters returns who has voted on an entry.
func (h *house) voters(e *feed.Entry) (up, down []string) {
	h.t.Helper()
	up, down = h.raw.Strings("SMEMBERS", "upvoted:"+e.Number()), h.raw.Strings("SMEMBERS", "downvoted:"+e.Number())
	slices.Sort(up)
	slices.Sort(down)
	return up, down
}

// list returns the titles of all entries of a list, read in pages of two.
func (h *house) list(name string, entries ...*feed.Entry) (titles []string) {
	h.t.Helper()
	for after := (feed.Cursor{}); ; {
		places, more, err := h.Rankings.ListPlaces(h.t.Context(), name, after, 2)
		h.ok(err)
		for _, p := range places {
			i := slices.IndexFunc(entries, func(e *feed.Entry) bool { return e.Number() == p.Member })
			if i < 0 {
				titles = append(titles, p.Member)
			} else {
				titles = append(titles, entries[i].Title)
			}
		}
		if !more {
			return titles
		}
		after = places[len(places)-1]
	}
}

// wantList fails the test unless a list has entries in an order.
func (h *house) wantList(what, name string, entries []*feed.Entry, titles string) {
	h.t.Helper()
	if got := strings.Join(h.list(name, entries...), " "); got != titles {
		h.t.Errorf("%s: %s has %q, want %q", what, name, got, titles)
	}
}
