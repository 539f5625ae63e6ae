package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Drafts makes entries ready to be written.
func Drafts(entries []feed.Entry) []draft {
	all := make([]draft, 0, len(entries))
	for i := range entries {
		all = append(all, newDraft(&entries[i]))
	}
	return all
}

// SaveDrafts writes entries without asking first what is new.
func (s *Store) SaveDrafts(ctx context.Context, c feed.Claim, drafts []draft) (feed.Saved, error) {
	saved, _, err := s.saveEntries(ctx, writing{feedURL: c.Source.URL, token: c.Token, received: s.stamp()}, drafts)
	return saved, err
}

// Publish puts an article out, as a person does, by a request id; "": by one that nobody has.
func (s *Store) Publish(ctx context.Context, uuid, typ, id string) (feed.Transition, error) {
	return s.decide(ctx, id, feed.Decision{UUID: uuid, Type: typ, Publish: true})
}

// TakeBack takes an article back in the same way.
func (s *Store) TakeBack(ctx context.Context, uuid, typ, id string) (feed.Transition, error) {
	return s.decide(ctx, id, feed.Decision{UUID: uuid, Type: typ})
}

func (s *Store) decide(ctx context.Context, id string, d feed.Decision) (feed.Transition, error) {
	done, err := s.Decide(ctx, cmp.Or(id, rand.Text()), []feed.Decision{d})
	if err != nil {
		return feed.Transition{}, err
	}
	return done[0].Transition, done[0].Err
}

// Mutate replaces a text, which occurs once, in a script of this store: a test that does not notice is none.
func (s *Store) Mutate(script, from, to string) error {
	text := scriptTexts()[script]
	if strings.Count(text, from) != 1 {
		return fmt.Errorf("script %s holds %q %d times", script, from, strings.Count(text, from))
	}
	s.scripts[script] = redis.NewScript(-1, strings.Replace(text, from, to, 1))
	return nil
}

// AppendSignal writes a signal by itself, as nothing else does.
func (s *Store) AppendSignal(ctx context.Context, kind feed.SignalKind, e *feed.Entry) error {
	_, err := s.do(ctx, "XADD", s.keys.signals(), "*", "kind", string(kind), "feed_url", e.FeedURL, "time", s.stamp(),
		"guid", e.GUID, "digest", e.Digest())
	return err
}

// Families are the keys that a copy into another layout knows, as doc.go lists them.
func Families() (all []string) {
	for _, names := range families() {
		all = append(all, names...)
	}
	return all
}

// LeaveSignal writes a signal into the outbox of its source, as a daemon does that is killed before it gathers.
func (s *Store) LeaveSignal(ctx context.Context, e *feed.Entry) error {
	_, err := s.do(ctx, "XADD", s.keys.of(e.FeedURL).signals(), "*", "kind", string(feed.PostCreated), "feed_url", e.FeedURL,
		"time", s.stamp(), "guid", e.GUID)
	return err
}

// GatherNow looks into all outboxes, however lately that was done.
func (s *Store) GatherNow(ctx context.Context) error {
	s.gatherer.looked = time.Time{}
	return s.lookIntoAll(ctx)
}

// AgeGathered makes what was moved look so much older.
func (s *Store) AgeGathered(d time.Duration) {
	for i := range s.gatherer.moved {
		s.gatherer.moved[i].seen = s.gatherer.moved[i].seen.Add(-d)
	}
}

// Taken is what a gatherer has read of an outbox and not moved yet.
type Taken struct {
	url, from string
	records   []any
}

// TakeOutbox is the first half of gathering.
func (s *Store) TakeOutbox(ctx context.Context, url string) (Taken, error) {
	taken := Taken{url: url, from: s.gatherer.cursor(s.keys.of(url))}
	var err error
	taken.records, err = s.outbox(ctx, s.keys.of(url), taken.from)
	return taken, err
}

// Len is how many records were read.
func (t Taken) Len() int { return len(t.records) }

// MoveTaken is the second half.
func (s *Store) MoveTaken(ctx context.Context, taken Taken) error {
	p := s.keys.of(taken.url)
	cursor, err := s.move(ctx, p, taken.from, taken.records)
	if err == nil {
		s.gatherer.see(p, cursor)
	}
	return err
}
