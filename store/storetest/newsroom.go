package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// Sources of a Newsroom.
const (
	Site   = "https://site.example/feed.xml"   // active, publishes automatically; all entries are from it
	Slow   = "https://slow.example/rss"        // failing
	Gone   = "https://gone.example/atom.xml"   // gone
	Paused = "https://quiet.example/feed.json" // paused
)

// Newsroom is the store of the desk, on a real Redis.
type Newsroom struct {
	store.Nouns

	Clock *Clock
	Raw   *Redigo // nil if the store is not available
	away  *atomic.Bool
}

func newsroom(tb testing.TB, dial store.DialFunc) *Newsroom {
	tb.Helper()
	clock, away := NewClock(), new(atomic.Bool)
	s := New(tb, store.Options{Now: clock.Now, Dial: func(ctx context.Context) (net.Conn, error) {
		if away.Load() {
			return nil, errAway
		}
		conn, err := dial(ctx)
		return &severable{conn, away}, err
	}})
	n := NewsroomOver(s, clock)
	n.away = away
	return n
}

// NewsroomOver returns a store as the desk sees it.
func NewsroomOver(s *store.Store, clock *Clock) *Newsroom {
	return &Newsroom{s.Nouns(), clock, nil, nil}
}

// severable is a connection that fails while its server is away.
type severable struct {
	net.Conn
	away *atomic.Bool
}

func (c *severable) Write(b []byte) (int, error) {
	if c.away.Load() {
		return 0, errAway
	}
	return c.Conn.Write(b)
}

var errAway = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("redis.internal:6379 refused the connection")}

// SetAway makes the store unavailable, or available again. Its errors name the host "redis.internal".
func (n *Newsroom) SetAway(away bool) { n.away.Store(away) }

// EmptyNewsroom returns a store without data. It is noon.
func EmptyNewsroom(tb testing.TB) *Newsroom {
	tb.Helper()
	return newsroomOn(tb, Redis(tb))
}

func newsroomOn(tb testing.TB, dial store.DialFunc) *Newsroom {
	tb.Helper()
	n := newsroom(tb, dial)
	n.Raw = Commands(tb, dial)
	return n
}

// Unavailable returns a store that is away.
func Unavailable(tb testing.TB) *Newsroom {
	tb.Helper()
	n := newsroom(tb, nil)
	n.SetAway(true)
	return n
}

// Refusing returns a store whose server answers every command with an error that names the host "redis.internal".
func Refusing(tb testing.TB) *Newsroom {
	tb.Helper()
	return newsroom(tb, func(context.Context) (net.Conn, error) {
		client, server := net.Pipe()
		go refuse(server)
		return client, nil
	})
}

// refuse answers each command of a connection with an error until the connection is closed.
func refuse(conn net.Conn) {
	defer conn.Close() //nolint:errcheck // the client may have closed it
	for commands := redis.NewConn(conn, 0, time.Second); ; {
		if _, err := commands.Receive(); err != nil { // a command is an array of strings, as a reply may be
			return
		}
		if _, err := conn.Write([]byte("-WRONGTYPE at redis.internal:6379\r\n")); err != nil {
			return
		}
	}
}

// NewNewsroom returns a store with a small daemon's day: four sources, seven entries of Site and their articles, which have every state in
// the feed production. It is noon.
func NewNewsroom(tb testing.TB) *Newsroom {
	tb.Helper()
	day.once.Do(func() {
		n := EmptyNewsroom(tb)
		n.fill(tb)
		day.snapshot = n.Raw.Snapshot()
	})
	if day.snapshot == nil {
		tb.Fatal("the newsroom could not be filled, see above")
	}
	return newsroomOn(tb, RedisOf(tb, day.snapshot))
}

// day is the content of every newsroom. It is made once for all tests of a package, because that takes longer than most tests.
var day struct {
	once     sync.Once
	snapshot []byte
}

func (n *Newsroom) fill(tb testing.TB) {
	tb.Helper()
	noon := n.Clock.Time
	n.addSources(tb, noon)
	for i, a := range []struct {
		title string
		ago   time.Duration // since the article arrived
	}{
		{"Ferry line to the islands opens a second pier", 150 * time.Minute}, {"Why the old lighthouse keeps its keeper", time.Hour},
		{"Storm closes the northern quay until Monday", 24 * time.Hour}, {"A day with the pilot who brings the large ships in", 3 * time.Hour},
		{"Harbour museum finds a letter from 1887", 6 * time.Hour}, {"What the new tide tables say", 32 * time.Hour},
		{"Fish market returns to the south hall", 5 * time.Hour},
	} {
		e := n.addEntry(tb, noon, i+1, a.title)
		n.Clock.Time = noon.Add(-a.ago)
		_, err := n.SaveArticle(tb.Context(), feed.Article{
			UUID: Post(i + 1), FeedURL: Site, GUID: e.GUID, Entry: e.ID, Title: a.title, Canonical: e.Link, Digest: e.Digest(), Content: e.Content,
		})
		check(tb, err)
	}
	publish := func(post int, ago time.Duration) {
		n.Clock.Time = noon.Add(-ago)
		n.decide(tb, post, true)
	}
	publish(6, 31*time.Hour)
	publish(3, 23*time.Hour)
	publish(5, 5*time.Hour)
	publish(7, 4*time.Hour)
	publish(1, 2*time.Hour)
	for ago := 32; ago >= 30; ago-- {
		publish(2, time.Duration(ago)*time.Minute)
	}
	n.Clock.Time = noon.Add(-6 * time.Hour)
	_, err := n.ExpireArticles(tb.Context(), "production", feed.DefaultWindow)
	check(tb, err)
	n.Clock.Time = noon.Add(-time.Hour)
	n.decide(tb, 7, false)
	n.Clock.Time = noon.Add(-40 * time.Minute)
	n.Show(tb, Post(5), 4)
	n.Clock.Time = noon
	n.Show(tb, Post(1), 2)
	n.Show(tb, Post(3), 3)
}

// Post returns the UUID of an article of Site.
func Post(n int) string { return feed.ArticleUUID(Site, fmt.Sprint("post-", n)) }

// SetSource adds a source or changes its settings, stores its metadata and the result of a poll, and pauses it if s is paused.
func (n *Newsroom) SetSource(tb testing.TB, s feed.Source) feed.Source {
	tb.Helper()
	paused := s.Paused
	s.Paused = false // a paused source cannot be polled
	stored, _, err := n.AddSource(tb.Context(), s)
	check(tb, err)
	if !s.About.Equal(&feed.About{}) || !s.Poll.LastPoll.IsZero() {
		n.Polled(tb, stored.ID, s.About, s.Poll)
	}
	if paused {
		check(tb, n.SetPaused(tb.Context(), stored.ID, true, 0))
	}
	stored, err = n.Source(tb.Context(), stored.ID)
	check(tb, err)
	return stored
}

// Polled polls a source with results, oldest first, and leaves it in a state. The entries that a poll finds are new ones.
func (n *Newsroom) Polled(tb testing.TB, id string, about feed.About, state feed.PollState, polls ...feed.Poll) {
	tb.Helper()
	if len(polls) == 0 {
		polls = []feed.Poll{{Time: state.LastPoll, Status: state.Status, Class: state.ErrorClass}}
	}
	for i, poll := range polls {
		claim, err := n.ClaimSource(tb.Context(), id, time.Minute)
		check(tb, err)
		doc := feed.Document{About: claim.Source.About}
		if i == 0 && !about.Equal(&feed.About{}) {
			doc.About = about
		}
		for range poll.New {
			guid := rand.Text()
			doc.Entries = append(doc.Entries, feed.Entry{FeedURL: claim.Source.URL, GUID: guid, Title: guid, Timestamp: n.Clock.Time})
		}
		if doc.About.Title != "" || poll.New > 0 {
			_, err = n.SaveEntries(tb.Context(), claim, doc)
			check(tb, err)
		}
		check(tb, n.FinishPoll(tb.Context(), &claim, &feed.PollResult{State: state, Poll: poll}))
	}
}

func (n *Newsroom) addSources(tb testing.TB, noon time.Time) {
	tb.Helper()
	n.Clock.Time = noon.Add(-48 * time.Hour)
	n.SetSource(tb, feed.Source{
		URL: Site, Feeds: []string{"production", "development"}, Publish: feed.PublishAuto,
		About: feed.About{Title: "The Harbour Post", Link: "https://site.example/", Language: "en"},
		Poll: feed.PollState{
			Entries: 30, LastPoll: noon.Add(-12 * time.Second), LastOK: noon.Add(-12 * time.Second), Status: 200,
			NextPoll: noon.Add(14 * time.Minute), NextReason: "interval",
		},
	})
	n.SetSource(tb, feed.Source{
		URL: Slow, Feeds: []string{"production"}, Publish: feed.PublishManual, About: feed.About{Title: "Новости гавани"},
		Poll: feed.PollState{
			Entries: 12, LastPoll: noon.Add(-3 * time.Minute), NextPoll: noon.Add(8 * time.Minute), NextReason: "retry after error 3",
			Errors: 3, ErrorClass: "timeout", ErrorText: "no answer within 30 s; see whether the site is up, or raise fetch.timeout",
		},
	})
	n.SetSource(tb, feed.Source{
		URL: Gone,
		Poll: feed.PollState{
			LastPoll: noon.Add(-20 * time.Hour), Status: 410, Gone: true, ErrorClass: "http_4xx", ErrorText: "the server said 410 Gone", Errors: 1,
		},
	})
	n.SetSource(tb, feed.Source{
		URL: Paused, Paused: true, About: feed.About{Title: "Quiet Notes"},
		Poll: feed.PollState{Entries: 5, LastPoll: noon.Add(-5 * time.Hour), NextPoll: noon.Add(time.Hour), NextReason: "interval"},
	})
}

// addEntry adds an entry of Site with its signal. It changes post-6 afterwards.
func (n *Newsroom) addEntry(tb testing.TB, noon time.Time, post int, title string) feed.Entry {
	tb.Helper()
	guid := fmt.Sprint("post-", post)
	e := feed.Entry{
		FeedURL: Site, GUID: guid, Timestamp: noon.Add(-time.Duration(post-1) * time.Hour), Title: title,
		Link: "https://site.example/" + guid, Content: "<p>" + title + "</p>", Authors: []string{"Ann Example"},
	}
	n.Clock.Time = noon.Add(time.Duration(post-11) * time.Minute)
	if post == 6 {
		draft := e
		draft.Title, draft.Content, draft.Link = "a", "c", ""
		check(tb, n.SaveEntry(tb.Context(), &draft))
		e.ID = draft.ID
	}
	check(tb, n.SaveEntry(tb.Context(), &e))
	return e
}

// decide publishes or withdraws an article in production.
func (n *Newsroom) decide(tb testing.TB, post int, publish bool) {
	tb.Helper()
	done, err := n.Decide(tb.Context(), fmt.Sprint(post, n.Clock.Time), []feed.Decision{{UUID: Post(post), Type: "production", Publish: publish}})
	check(tb, err)
	check(tb, done[0].Err)
}

// Show counts impressions of the first revision of an article in production. Its first call for an article is the only one that counts.
func (n *Newsroom) Show(tb testing.TB, uuid string, times int) {
	tb.Helper()
	n.show(tb, uuid, times, feed.Impression{UUID: uuid, Revision: 1})
}

// ShowAll counts impressions of all published articles of an outgoing feed.
func (n *Newsroom) ShowAll(tb testing.TB, typ string, times int) {
	tb.Helper()
	var shown []feed.Impression
	_, err := n.FindArticles(tb.Context(), feed.ArticleQuery{Type: typ, State: feed.StatePublished, Limit: 1000, Look: 1000}, []string{typ},
		func(a *feed.Article) bool {
			shown = append(shown, feed.Impression{UUID: a.UUID, Revision: a.Feeds[typ].Revision})
			return true
		})
	check(tb, err)
	n.show(tb, "all", times, shown...)
}

func (n *Newsroom) show(tb testing.TB, id string, times int, shown ...feed.Impression) {
	tb.Helper()
	_, err := n.RecordImpressions(tb.Context(), "production", feed.Fetches{
		Shown: shown, All: []feed.Fetch{{ID: "fetch of " + id, Times: times}},
	}, feed.ImportAfter)
	check(tb, err)
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
