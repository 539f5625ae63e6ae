package lists_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// newSite serves votes and lists to ann on a real Redis.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{Newsroom: storetest.EmptyNewsroom(t), t: t}
	s.Desk = webtest.Over(s.Newsroom, s.Clock.Now)
	s.lists = lists.New(s.Newsroom, s.Kit, lists.Options{})
	s.Mount(s.lists)
	s.ok(s.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleMember}))
	a, err := s.Account(t.Context(), "ann")
	s.ok(err)
	s.ann = a.ID
	_, err = s.Newsroom.Follow(t.Context(), s.ann, feed.Follow{FeedURL: storetest.Harbour})
	s.ok(err)
	s.as(feed.RoleMember)
	return s
}

// stream opens a stream of votes, and returns the next event of a stream.
func (s *site) stream(path string) (next func() string) {
	s.t.Helper()
	server := httptest.NewServer(s.Desk)
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, http.NoBody)
	s.ok(err)
	resp, err := server.Client().Do(r)
	s.ok(err)
	s.t.Cleanup(func() {
		cancel()
		_ = resp.Body.Close()
		server.Close()
	})
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("%s: %d %v", path, resp.StatusCode, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	return func() string {
		s.t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e feed.VotedEvent
				s.ok(json.Unmarshal([]byte(data), &e))
				return fmt.Sprint(e.Entry, " ", e.Votes, " ", e.Vote)
			}
		}
		s.t.Fatalf("the stream ended: %v", lines.Err())
		return ""
	}
}

// until reads a stream up to an event. It returns how many others there were.
func (s *site) until(next func() string, want string) (others int) {
	s.t.Helper()
	for got := next(); got != want; got = next() {
		if others++; others > 20 {
			s.t.Fatalf("20 events are not %s, the last is %s", want, got)
		}
	}
	return others
}

func TestStreamsHaveTheVotesOnTheirEntries(t *testing.T) {
	for _, path := range []string{"/votes/live", "/api/v1/votes/events"} {
		t.Run(path, func(t *testing.T) {
			s := newSite(t)
			a, b, other := s.save(storetest.Harbour, "a", s.Clock.Time), s.save(storetest.Harbour, "b", s.Clock.Time), s.save(yard, "other", s.Clock.Time)
			s.vote(200, a.Number(), "up")
			_, err := s.Vote(t.Context(), other, s.ann, feed.VoteUp)
			s.ok(err)
			next := s.stream(fmt.Sprintf("%s?entry=%s&entry=%s&entry=%s&entry=999", path, a.Number(), b.Number(), other.Number()))
			if got := next(); got != a.ID+" 1 up" {
				t.Errorf("the stream begins with %s", got)
			}
			// Votes by another daemon are seen as well.
			for user := range int64(300) {
				_, err := s.Vote(t.Context(), b, 1000+user, feed.VoteUp)
				s.ok(err)
			}
			if others := s.until(next, b.ID+" 300 none"); others > 20 {
				t.Errorf("300 votes are %d events", others)
			}
			s.vote(200, b.Number(), "down")
			s.until(next, b.ID+" 299 down")
			// The number stays the same, but the own vote does not.
			_, err = s.Vote(t.Context(), b, 1000, feed.VoteNone)
			s.ok(err)
			s.vote(200, b.Number(), "none")
			s.until(next, b.ID+" 299 none")
		})
	}
}

func TestStreamHasNoVotesOnEntriesOfAnUnfollowedSource(t *testing.T) {
	s := newSite(t)
	_, err := s.Newsroom.Follow(t.Context(), s.ann, feed.Follow{FeedURL: yard})
	s.ok(err)
	a, b := s.save(storetest.Harbour, "a", s.Clock.Time), s.save(yard, "b", s.Clock.Time)
	vote := func(e *feed.Entry, user int64) {
		t.Helper()
		_, err := s.Vote(t.Context(), e, user, feed.VoteUp)
		s.ok(err)
	}
	vote(a, 1000)
	vote(b, 1000)
	next := s.stream(fmt.Sprintf("/api/v1/votes/events?entry=%s&entry=%s", a.Number(), b.Number()))
	s.until(next, b.ID+" 1 none")
	s.ok(s.Unfollow(t.Context(), s.ann, yard))
	time.Sleep(6 * time.Second) // the stream trusts its last check for 5
	vote(b, 1001)
	for user := range int64(2) { // the event about b would be between those about a
		vote(a, 1001+user)
		for got, want := "", fmt.Sprint(a.ID, " ", 2+user, " none"); got != want; {
			if got = next(); strings.HasPrefix(got, b.ID+" ") {
				t.Fatalf("the stream has %s after the source was unfollowed", got)
			}
		}
	}
}

func TestStreamsOfVotesAreBounded(t *testing.T) {
	s := newSite(t)
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("entry=", i+1)
	}
	for _, query := range []string{"", "?entry=", "?entry=x", "?entry=Entry:5", "?entry=-1", "?" + strings.Join(many, "&"), "?entry=1&user=ann"} {
		s.send(400, "GET", "/api/v1/votes/events"+query, "")
	}
	s.Visitor = feed.Visitor{}
	s.send(401, "GET", "/api/v1/votes/events?entry=1", "")
}
