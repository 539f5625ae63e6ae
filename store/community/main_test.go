package community_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// town is a store whose members submit and vote.
type town struct {
	*store.Store
	t     testing.TB
	now   *storetest.Clock
	raw   *storetest.Redigo
	count int // of entries
	ann   int64
	bob   int64
	eve   int64
}

// each runs a test on each engine and in both layouts, and checks the invariants afterwards.
func each(t *testing.T, test func(h *town)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		h := newTown(t, storetest.New(t, opts), now, raw)
		h.ann, h.bob, h.eve = h.member("ann"), h.member("bob"), h.member("eve")
		test(h)
	})
}

func newTown(t testing.TB, s *store.Store, now *storetest.Clock, raw *storetest.Redigo) *town {
	return &town{Store: s, t: t, now: now, raw: raw}
}

func (h *town) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// fails fails the test if an error is not the wanted one.
func (h *town) fails(err, want error) {
	h.t.Helper()
	if !errors.Is(err, want) {
		h.t.Errorf("got the error %v, want %v", err, want)
	}
}

// member adds an account and returns its id.
func (h *town) member(name string) int64 {
	h.t.Helper()
	h.ok(h.People.AddAccount(h.t.Context(), feed.Account{Name: name, Role: feed.RoleMember, Created: h.now.Time}))
	a, err := h.People.Account(h.t.Context(), name)
	h.ok(err)
	return a.ID
}

// entry returns an entry that a member wrote now. The package does not read the entries of the store.
func (h *town) entry(user int64, title string) *feed.Entry {
	h.count++
	return &feed.Entry{ID: fmt.Sprint("Entry:", h.count), FeedURL: feed.MemberURL(user), Title: title, Timestamp: h.now.Time}
}

func link(title string) *feed.Submission {
	return &feed.Submission{Title: title, URL: "https://a.example/" + title}
}

// submit submits a URL as a member who has not done so recently.
func (h *town) submit(user int64, title string) *feed.Entry {
	h.t.Helper()
	h.pause(user)
	e := h.entry(user, title)
	h.ok(h.Community.Submit(h.t.Context(), e, link(title), false))
	return e
}

// pause ends the time in which a member cannot submit.
func (h *town) pause(user int64) {
	h.raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", user))
}

func (h *town) news(e *feed.Entry) map[string]string {
	h.t.Helper()
	return h.raw.StringMap("HGETALL", "news:"+e.Number())
}

// give sets the karma of a member.
func (h *town) give(user int64, karma int) {
	h.t.Helper()
	h.raw.Do("HSET", fmt.Sprint("user:", user), "karma", karma)
}

// wantKarma fails the test unless a member has an amount of karma.
func (h *town) wantKarma(what string, user int64, karma int) {
	h.t.Helper()
	m, err := h.Community.Member(h.t.Context(), user)
	if err != nil || m.Karma != karma {
		h.t.Errorf("%s: user %d has %d karma, want %d; %v", what, user, m.Karma, karma, err)
	}
}

func (h *town) vote(e *feed.Entry, user int64, v feed.Vote) feed.Vote {
	h.t.Helper()
	before, err := h.Community.VoteOnNews(h.t.Context(), e, user, v)
	h.ok(err)
	return before
}

// score returns the score of a member in a list of Redis; empty: it is not there.
func (h *town) score(key string, member any) string {
	h.t.Helper()
	text, _ := h.raw.Do("ZSCORE", key, member).([]byte)
	return string(text)
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}
