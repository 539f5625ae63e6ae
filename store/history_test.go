//go:build faults

package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// rig runs programs against stores on one server, and judges what came of them.
type rig struct {
	t      *testing.T
	server *storetest.Server
	mutant mutant
	parts  bool // the store is in parts
	rounds int
	hurt   int    // calls whose answer did not come at first
	wrong  string // what was noticed first; empty: nothing was
	at     int    // in this round
}

func newRig(t *testing.T, m mutant) *rig {
	return &rig{t: t, server: storetest.RedisAOF(t), mutant: m, parts: storetest.Sharded()}
}

// run is one round: the clients of a program at work, until the store is well again and quiet.
type run struct {
	*rig
	random *rapid.T
	began  time.Time
	line   *storetest.Line
	uuids  []string
	mu     sync.Mutex // of what follows
	acts   []act
	saves  []saving
	hurt   int
}

// property is what holds for each program.
func (r *rig) property(t *rapid.T) {
	p := programs().Draw(t, "program")
	r.rounds++
	r.commands(t).Do("FLUSHALL")
	this := &run{rig: r, random: t, began: time.Now(), line: storetest.NewLine(r.t, r.server.Dial)}
	defer this.line.Close()
	own := storetest.New(t, store.Options{Dial: r.server.Dial, Sharded: r.parts})
	this.prepare(own)
	this.play(p, own)
	this.line.Close() // what is still on its way comes late or never
	r.hurt += this.hurt
	wrong := this.judge(own)
	if r.commands(t).Check(types[:1], feed.ImportAfter); wrong == "" && t.Failed() {
		wrong = "invariants: of the keys"
	}
	if r.wrong == "" && wrong != "" {
		r.wrong, r.at = wrong, r.rounds
	}
	if wrong != "" {
		t.Fatalf("%s\nprogram: %+v", wrong, p)
	}
}

// commands are raw commands on a connection of their own: the server may have been killed since the last ones.
func (r *rig) commands(tb storetest.TB) *storetest.Redigo {
	tb.Helper()
	if r.parts {
		return storetest.InShards(tb, "", harbour, r.server.Dial)
	}
	return storetest.Commands(tb, r.server.Dial)
}

// prepare publishes the articles, and adds a source for each client.
func (r *run) prepare(own *store.Store) {
	for n := range articles {
		uuid := feed.ArticleUUID(harbour, fmt.Sprintf("%d of %d", n, r.rounds))
		r.uuids = append(r.uuids, uuid)
		_, err := own.Articles.SaveArticle(context.Background(), feed.Article{UUID: uuid, Title: "One", Digest: "one", FeedURL: harbour})
		if err == nil {
			_, err = own.Publish(context.Background(), uuid, types[0], "")
		}
		if err != nil {
			r.random.Fatalf("prepare: %v", err)
		}
	}
}

// play has the clients do what the program says, while what it says befalls them.
func (r *run) play(p program, own *store.Store) {
	var all sync.WaitGroup
	for n, steps := range p.Clients {
		c := r.client(n, own)
		all.Go(func() {
			for _, s := range steps {
				c.take(s)
			}
		})
	}
	for _, f := range p.Faults {
		time.Sleep(f.After)
		r.strike(f)
	}
	r.line.Heal()
	all.Wait()
}

// strike lets something happen. The server is well again afterwards; the line may not be.
func (r *run) strike(f fault) {
	switch f.What {
	case "heal":
		r.line.Heal()
	case "kill":
		r.server.Kill()
		r.server.Restart()
	case "hang":
		r.server.Stop()
		time.Sleep(time.Duration(2*f.Size) * time.Millisecond)
		r.server.Cont()
	case "script flush":
		commands(r.random, r.server.Dial).Do("SCRIPT", "FLUSH")
	default:
		r.line.Disturb(f.What, map[string]int{
			"bytes": 3 * f.Size, "timeout": f.Size, "latency": f.Size, "average_size": 1 + f.Size/4, "delay": 50,
		})
	}
}

// client is one of those at work, with a source of its own.
type client struct {
	*run
	number   int
	store    *store.Store
	claim    feed.Claim
	entries  []feed.Entry // of its source, as it lists them
	versions [guids]int
	seen     [articles]int // revisions of the articles, as it knows them
}

func (r *run) client(n int, own *store.Store) *client {
	c := &client{run: r, number: n, seen: [articles]int{1, 1}}
	c.store = storetest.New(r.random, store.Options{
		Dial: r.line.Dial, Sharded: r.parts, Timeout: 50 * time.Millisecond, Pool: 2, EditScript: r.mutant.edit,
	})
	url := fmt.Sprintf("http://harbour.example/%d/%d.xml", r.rounds, n)
	_, _, err := own.Sources.AddSource(context.Background(), feed.Source{URL: url})
	if err == nil {
		c.claim, err = own.Sources.ClaimSource(context.Background(), feed.SourceID(url), time.Hour)
	}
	if err != nil {
		r.random.Fatalf("claim %s: %v", url, err)
	}
	return c
}

// take does one step and writes down what it came to.
func (c *client) take(s step) {
	id := strconv.Itoa(c.rounds) + "-" + strconv.Itoa(c.number) + "-" + strconv.FormatInt(int64(time.Since(c.began)), 10)
	switch s.Do {
	case fetches:
		c.fetch(s, id)
	case publishes, withdraws:
		c.place(s, id)
	case saves:
		c.save(s)
	}
}

// patiently tries until the store answers, as the daemon does; it gives up after some tries, and then the result is unknown.
func (c *client) patiently(do func(ctx context.Context) error) (known bool) {
	for range 6 {
		err := do(context.Background())
		if !errors.Is(err, feed.ErrUnavailable) {
			return true
		}
		c.mu.Lock()
		c.hurt++
		c.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// fetch records a fetch that showed some articles.
func (c *client) fetch(s step, id string) {
	var shown []feed.Impression
	for n := range s.Showed {
		at := (s.Article + n) % articles
		revision := c.seen[at]
		if s.Stale {
			revision--
		}
		shown = append(shown, feed.Impression{UUID: c.uuids[at], Revision: revision})
	}
	var result feed.ImpressionResult
	call := c.now()
	known := c.patiently(func(ctx context.Context) (err error) {
		result, err = c.store.Articles.RecordImpressions(ctx, types[0], oneFetch(id, shown), feed.ImportAfter)
		return err
	})
	for _, i := range shown {
		a := act{client: c.number, do: fetches, uuid: i.UUID, revision: i.Revision, call: call, known: known}
		a.promoted = slices.Contains(result.Promoted, i.UUID)
		switch result.Counted {
		case len(shown):
			a.counted = yes
		case 0:
			a.counted = no
		}
		c.write(a)
	}
}

// place publishes an article or withdraws it.
func (c *client) place(s step, id string) {
	a := act{client: c.number, do: s.Do, uuid: c.uuids[s.Article], call: c.now()}
	a.known = c.patiently(func(ctx context.Context) (err error) {
		if s.Do == publishes {
			a.became, err = c.store.Publish(ctx, a.uuid, types[0], id)
		} else {
			a.became, err = c.store.Withdraw(ctx, a.uuid, types[0], id)
		}
		a.refused = errors.Is(err, feed.ErrConflict)
		return err
	})
	if a.known && s.Do == publishes {
		c.seen[s.Article] = a.became.Revision
	}
	c.write(a)
}

// save saves a document in which an entry is new or changed.
func (c *client) save(s step) {
	c.versions[s.Guid]++
	guid, version := fmt.Sprintf("g%d", s.Guid), c.versions[s.Guid]
	e := feed.Entry{FeedURL: c.claim.Source.URL, GUID: guid, Title: fmt.Sprintf("%s, version %d", guid, version), Timestamp: time.Now()}
	c.entries = slices.DeleteFunc(c.entries, func(old feed.Entry) bool { return old.GUID == guid })
	c.entries = append(c.entries, e)
	doc := feed.Document{Entries: slices.Clone(c.entries), Received: time.Now()}
	known := c.patiently(func(ctx context.Context) error {
		saved, err := c.store.Entries.SaveEntries(ctx, c.claim, doc)
		if err == nil && c.mutant.after != nil {
			c.mutant.after(ctx, c.store, saved, &e, version)
		}
		return err
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saves = append(c.saves, saving{url: e.FeedURL, guid: guid, digest: e.Digest(), known: known})
}

func (r *run) now() int64 { return int64(time.Since(r.began)) }

// write adds to the history.
func (r *run) write(a act) {
	a.back = r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acts = append(r.acts, a)
}
