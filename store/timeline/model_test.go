//go:build !race

package timeline_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// model computes timelines naively: all entries of all followed sources, sorted.
type model struct {
	*house
	*rand.Rand
	seed    uint64
	entries map[string]feed.Entry     // by id
	follows map[int64]map[string]bool // by user and source, whether it is muted
	stored  map[string]bool           // sources that were added; others have entries, too
	chosen  map[string]bool           // default follows
}

var (
	modelSources = []string{harbour, yard, "http://quay.example/", "http://pier.example/"}
	modelUsers   = []int64{1, 65, 404}
)

// TestTimelineIsThatOfTheModel carries out random steps and compares random pages with the model.
func TestTimelineIsThatOfTheModel(t *testing.T) {
	for _, pullFollowers := range []int{0, 2} {
		t.Run(fmt.Sprintf("pullFollowers=%d", pullFollowers), func(t *testing.T) {
			eachWith(t, core.Options{PullFollowers: pullFollowers}, func(h *house) {
				seed := rand.Uint64()
				m := &model{h, rand.New(rand.NewPCG(seed, 0)), seed, make(map[string]feed.Entry), make(map[int64]map[string]bool), make(map[string]bool), make(map[string]bool)}
				for _, user := range modelUsers {
					m.follows[user] = make(map[string]bool)
					m.raw.Do("SET", "users.count", user-1)
					m.ok(m.People.AddAccount(t.Context(), feed.Account{Name: fmt.Sprint("user", user), Role: feed.RoleMember}))
				}
				for _, url := range modelSources[:2] {
					m.add(url)
					m.choose(url)
				}
				for range 550 {
					m.publish()
				}
				for range modelSteps {
					m.step()
				}
			})
		})
	}
}

func (m *model) user() int64    { return modelUsers[m.IntN(len(modelUsers))] }
func (m *model) source() string { return modelSources[m.IntN(len(modelSources))] }

// at is a time of a few hundred, so that entries share some.
func (m *model) at() time.Time { return m.now.Time.Add(time.Duration(m.IntN(400)) * time.Second) }

// entry returns one of the entries; false if there is none.
func (m *model) entry() (feed.Entry, bool) {
	ids := make([]string, 0, len(m.entries))
	for id := range m.entries {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return feed.Entry{}, false
	}
	slices.Sort(ids)
	return m.entries[ids[m.IntN(len(ids))]], true
}

func (m *model) save(e feed.Entry) {
	m.ok(m.Entries.SaveEntry(m.t.Context(), &e))
	m.entries[e.ID] = e
}

func (m *model) publish() {
	m.save(feed.Entry{FeedURL: m.source(), GUID: fmt.Sprint(m.Uint64()), Title: "new", Timestamp: m.at()})
}

// expire expires the oldest entries of a source.
func (m *model) expire(url string) {
	var all []feed.Cursor
	for id, e := range m.entries {
		if e.FeedURL == url {
			all = append(all, after(id, e.Timestamp))
		}
	}
	keep := max(1, len(all)-m.IntN(3))
	_, err := m.Entries.ExpireEntries(m.t.Context(), url, keep)
	m.ok(err)
	for _, old := range newestFirst(all)[min(keep, len(all)):] {
		delete(m.entries, "Entry:"+old.Member)
	}
}

func (m *model) step() {
	ctx, user, url := m.t.Context(), m.user(), m.source()
	e, some := m.entry()
	muted, follows := m.follows[user][url]
	switch n := m.IntN(24); {
	case n < 5:
		m.publish()
	case n < 7 && some:
		e.Title += "."
		m.save(e)
	case n < 9 && some:
		e.Title, e.Timestamp = e.Title+".", m.at()
		m.save(e)
	case n < 13 && some:
		_, err := m.Entries.TakeDownEntry(ctx, e.ID)
		m.ok(err)
		delete(m.entries, e.ID)
	case n < 15 && !follows:
		_, err := m.Timelines.Follow(ctx, user, feed.Follow{FeedURL: url})
		m.ok(err)
		m.follows[user][url] = false
	case n == 15:
		m.ok(m.Timelines.Unfollow(ctx, user, url))
		delete(m.follows[user], url)
	case n == 16 && follows:
		muted = !muted
		_, err := m.Timelines.ChangeFollow(ctx, user, url, feed.FollowChange{Muted: &muted})
		m.ok(err)
		m.follows[user][url] = muted
	case n == 17:
		m.raw.Do("DEL", fmt.Sprintf("feed:user:%d", user)) // evicted
	case n == 18:
		m.raw.Do("DEL", fmt.Sprintf("feed:user:%d:warm", user)) // expired
	case n == 19:
		m.stepSource(url, user)
	case n == 20:
		m.expire(url)
	case n == 21:
		m.plan()
	case n == 22:
		m.apply(1)
	case n == 23 && m.IntN(5) == 0:
		m.ok(m.Timelines.EraseUser(ctx, user))
		clear(m.follows[user])
	}
	if m.IntN(3) > 0 {
		m.compare(user, false)
		return
	}
	m.drain()
	m.compare(user, true)
}

// add adds a source.
func (m *model) add(url string) {
	_, _, err := m.Sources.AddSource(m.t.Context(), feed.Source{URL: url})
	m.ok(err)
	m.stored[url] = true
}

// choose makes new members follow a source.
func (m *model) choose(url string) {
	m.ok(m.Timelines.AddDefaultFollow(m.t.Context(), url))
	m.chosen[url] = true
}

// stepSource adds or removes a source, changes the default follows, or makes a user a new member, who follows them.
func (m *model) stepSource(url string, user int64) {
	ctx := m.t.Context()
	switch n := m.IntN(30); {
	case n < 6:
		m.add(url)
	case n < 10:
		m.choose(url)
	case n < 12:
		m.ok(m.Timelines.RemoveDefaultFollow(ctx, url))
		delete(m.chosen, url)
	case n < 28:
		m.ok(m.WelcomeMember(ctx, fmt.Sprint("user", user)))
		for url := range m.chosen {
			if _, follows := m.follows[user][url]; m.stored[url] && !follows {
				m.follows[user][url] = false
			}
		}
	case m.stored[url]:
		m.ok(m.Sources.RemoveSource(ctx, feed.SourceID(url), 0)) // users go on following it, in case it is restored
		delete(m.stored, url)
		maps.DeleteFunc(m.entries, func(_ string, e feed.Entry) bool { return e.FeedURL == url })
	}
}

// timeline returns the places of a timeline.
func (m *model) timeline(user int64) (all []feed.Cursor) {
	for id, e := range m.entries {
		if muted, follows := m.follows[user][e.FeedURL]; follows && !muted {
			all = append(all, after(id, e.Timestamp))
		}
	}
	return newestFirst(all)
}

// newestFirst sorts places as a timeline does.
func newestFirst(all []feed.Cursor) []feed.Cursor {
	slices.SortFunc(all, func(a, b feed.Cursor) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.Member, a.Member))
	})
	return all
}

// compare reads a page. Before the fan-out has ended it must have no entry that the timeline does not have, and each at most once.
func (m *model) compare(user int64, drained bool) {
	want := m.timeline(user)
	var from feed.Cursor
	if len(want) > 0 && m.IntN(2) == 0 {
		i := m.IntN(len(want))
		from, want = want[i], want[i+1:]
	}
	page, err := m.Timelines.Timeline(m.t.Context(), user, from, size)
	m.ok(err)
	got := make(map[string]bool)
	for i, e := range page.Entries {
		number := e.Number()
		if !drained {
			_, exists := m.entries[e.ID]
			if muted, follows := m.follows[user][e.FeedURL]; !exists || muted || !follows || got[number] {
				m.t.Fatalf("seed %d: %s is on the page of user %d twice, was taken down, or is of a source that is not shown", m.seed, e.ID, user)
			}
			got[number] = true
		} else if i >= len(want) || want[i].Member != number {
			m.t.Fatalf("seed %d: the page of user %d after %v has %s in place %d of %d", m.seed, user, from, e.ID, i, len(want))
		}
	}
	if drained && (len(page.Entries) != min(size, len(want)) || page.Next.IsZero() != (len(want) <= size)) {
		m.t.Fatalf("seed %d: the page of user %d after %v has %d entries of %d, then %v", m.seed, user, from, len(page.Entries), len(want), page.Next)
	}
}
