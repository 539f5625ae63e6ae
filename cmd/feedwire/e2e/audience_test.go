package e2e

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// manner is how a subscriber answers.
type manner int

const (
	good    manner = iota
	slow           // after half a second to one and a half
	moody          // fails once
	failing        // fails always
	gone           // unsubscribes at some time
	dead           // confirms, and then its server is no more
)

func (m manner) String() string {
	return [...]string{"good", "slow", "moody", "failing", "gone", "dead"}[m]
}

// live reports whether the subscriber is to get everything.
func (m manner) live() bool { return m <= moody }

// maxTurn bounds how many versions a moody or gone subscriber takes before it fails or goes.
const maxTurn = 2

// member is one subscriber of an audience, and what it has got.
type member struct {
	manner
	callback, secret string
	after            time.Duration // until it answers
	turn             int           // moody and gone: how many versions it takes before it fails, or wants no more

	confirmed bool
	taken     int // versions
	failed    bool
	got       []receipt
	posts     map[string]string // titles as they were last told, by guid
}

// receipt is one delivery that came whole.
type receipt struct {
	id      string
	version int64
	body    string
	status  int // that it was answered with
}

// audience are two hundred subscribers of one topic on ten servers. It is the ledger of what came to whom.
type audience struct {
	t     *testing.T
	topic string
	dying *httptest.Server

	mu      sync.Mutex
	members []*member
	wanted  int // deliveries until told is closed
	told    chan struct{}
}

// newAudience makes subscribers of all manners, each on a server with many others.
func newAudience(t *testing.T, topic string, random *rand.Rand) *audience {
	c := &audience{t: t, topic: topic}
	servers := make([]*httptest.Server, 10)
	for i := range servers {
		servers[i] = httptest.NewServer(c)
		t.Cleanup(servers[i].Close)
	}
	c.dying = servers[0]
	for n := range 200 {
		m := &member{secret: fmt.Sprintf("secret %d", n), turn: random.IntN(maxTurn + 1), posts: make(map[string]string)}
		m.after = time.Duration(5+random.IntN(45)) * time.Millisecond
		server := servers[1+n%9]
		switch {
		case n < 10:
			m.manner, server = dead, c.dying
		case n < 20:
			m.manner = gone
		case n < 30:
			m.manner = failing
		case n < 40:
			m.manner = moody
		case n < 60:
			m.manner, m.after = slow, time.Duration(500+random.IntN(1000))*time.Millisecond
		}
		m.callback = fmt.Sprintf("%s/%d?of=%d", server.URL, n, random.Uint32())
		c.members = append(c.members, m)
	}
	return c
}

// join subscribes everybody, in turn at each of the hubs.
func (c *audience) join(hubs ...string) {
	c.t.Helper()
	for n, m := range c.members {
		if err := c.ask(m, hubs[n%len(hubs)]); err != nil {
			c.t.Fatalf("subscriber %d: %v", n, err)
		}
	}
	wiretest.Eventually(c.t, "asked for confirmation", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !slices.ContainsFunc(c.members, func(m *member) bool { return !m.confirmed })
	})
}

// ask asks a hub for the subscription of a member.
func (c *audience) ask(m *member, hub string) error {
	resp, err := http.PostForm(hub, url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {c.topic}, "hub.callback": {m.callback}, "hub.secret": {m.secret},
	})
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return errors.New(resp.Status)
	}
	return nil
}

// ServeHTTP confirms subscriptions and takes deliveries.
func (c *audience) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil || n < 0 || n >= len(c.members) {
		c.t.Errorf("%s %s: there is no such subscriber", r.Method, r.URL)
		return
	}
	m := c.members[n]
	if r.Method == http.MethodGet {
		c.mu.Lock()
		m.confirmed = true
		c.mu.Unlock()
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the daemon died while it was sending
	}
	if err := websub.Verify(r.Header, m.secret, body); err != nil {
		c.t.Errorf("subscriber %d: %v", n, err)
	}
	status := c.take(n, r.Header.Get("X-Feedwire-Delivery"), body)
	select {
	case <-time.After(m.after):
		w.WriteHeader(status)
	case <-r.Context().Done(): // the daemon died, or waits no longer
	}
}

// take writes a delivery down, and says how it is answered.
func (c *audience) take(n int, id string, body []byte) (status int) {
	number := id[strings.LastIndexByte(id, '-')+1:]
	version, err := strconv.ParseInt(number, 10, 64)
	var doc struct {
		Items []struct {
			GUID  string `xml:"guid"`
			Title string `xml:"title"`
		} `xml:"channel>item"`
	}
	if err == nil {
		err = xml.Unmarshal(body, &doc)
	}
	if err != nil {
		c.t.Errorf("subscriber %d, delivery %q: %v", n, id, err)
		return http.StatusBadRequest
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wanted--; c.wanted == 0 {
		close(c.told)
	}
	m, status := c.members[n], http.StatusNoContent
	again := len(m.got) > 0 && m.got[len(m.got)-1].version == version && m.got[len(m.got)-1].status == status
	switch {
	case m.manner == failing, m.manner == moody && !m.failed && !again && m.taken == m.turn:
		m.failed, status = true, http.StatusInternalServerError
	case m.manner == gone && !again && m.taken >= m.turn:
		status = http.StatusGone
	case !again:
		m.taken++
	}
	for _, post := range doc.Items {
		m.posts[post.GUID] = post.Title
	}
	m.got = append(m.got, receipt{id, version, string(body), status})
	return status
}

// after waits until so many more deliveries have come.
func (c *audience) after(n int) {
	c.t.Helper()
	c.mu.Lock()
	c.wanted, c.told = n, make(chan struct{})
	told := c.told
	c.mu.Unlock()
	select {
	case <-told:
	case <-time.After(wiretest.Patience):
		c.t.Fatalf("%d deliveries did not come within %v", n, wiretest.Patience)
	}
}

// know reports whether everybody who lives knows all posts as they are now.
func (c *audience) know(posts map[string]string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.members, func(m *member) bool { return m.live() && !maps.Equal(m.posts, posts) })
}

// wentAll reports whether everybody who goes has said so.
func (c *audience) wentAll() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.members, func(m *member) bool {
		return m.manner == gone && !slices.ContainsFunc(m.got, func(r receipt) bool { return r.status == http.StatusGone })
	})
}

// left are the subscriptions that the hub has to have in the end: of all but those that are gone.
func (c *audience) left() (all []string) {
	for _, m := range c.members {
		if m.manner != gone {
			all = append(all, feed.SubscriptionID(c.topic, m.callback))
		}
	}
	slices.Sort(all)
	return all
}

// check looks through the ledger: everybody who lives has got each version, in order; one that fails gets the same one
// again and again; who is gone got nothing after that, but for the delivery whose answer was lost with its daemon; and what
// came twice has the id that it had.
func (c *audience) check() {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var versions []int64
	bodies, ids := make(map[string]string), make(map[string]string)
	deliveries, first := 0, 0
	for _, m := range c.members {
		for _, r := range m.got {
			versions = append(versions, r.version)
			if body, known := bodies[r.id]; known && body != r.body {
				c.t.Errorf("the delivery %s came with two bodies", r.id)
			}
			if id, known := ids[r.body]; known && id != r.id {
				c.t.Errorf("the same came as %s and %s", id, r.id)
			}
			bodies[r.id], ids[r.body] = r.body, r.id
		}
		deliveries += len(m.got)
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	for n, m := range c.members {
		var got []int64
		for _, r := range m.got {
			got = append(got, r.version)
		}
		got = slices.Compact(got)
		first += len(got)
		want := versions
		switch m.manner {
		case failing:
			want = versions[:1]
		case gone:
			want = versions[:m.turn+1]
		case dead:
			want = nil
		}
		if !slices.Equal(got, want) {
			c.t.Errorf("subscriber %d, %v, got the versions %v, want %v", n, m.manner, got, want)
		}
	}
	c.t.Logf("%d versions in %d deliveries, %d of them repeated", len(versions), deliveries, deliveries-first)
}
