package community_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/store/feed"
)

func TestVisibleCommentIsSignalledOnce(t *testing.T) {
	each(t, func(h *town) {
		e := h.submit(h.ann, "one")
		a := h.comment(h.bob, feed.NoParent, "a")
		h.comment(h.bob, feed.NoParent, "a") // a repetition
		h.now.Advance(time.Second)
		b := h.comment(h.eve, a, "b")
		h.moderate(b, feed.Hidden)
		h.comment(h.eve, b, "below what only its author sees")
		offered := feed.Entry{ID: "Entry:2", FeedURL: "https://a.example/feed", GUID: "g", Title: "two", Link: "https://a.example/2", Timestamp: h.now.Time}
		h.ok(h.Community.Offer(t.Context(), []feed.Entry{offered}))
		c, err := h.Community.AddComment(t.Context(), 2, h.bob, feed.NoParent, "c")
		h.ok(err)
		got, err := h.Signals.Signals(t.Context(), "", 10, 0)
		h.ok(err)
		before := h.now.Time.Add(-time.Second)
		want := []feed.Signal{
			{Kind: feed.CommentCreated, FeedURL: e.FeedURL, Entry: e.ID, Comment: a, Time: before},
			{Kind: feed.CommentCreated, FeedURL: e.FeedURL, Entry: e.ID, Comment: b, Parent: a, Time: before.Add(time.Second)},
			{Kind: feed.CommentCreated, FeedURL: offered.FeedURL, Entry: offered.ID, Comment: c, Time: h.now.Time},
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(feed.Signal{}, "ID"), cmpopts.EquateApproxTime(time.Millisecond)); diff != "" {
			t.Errorf("signals (-want +got):\n%s", diff)
		}
	})
}

func TestVotesThatOnlyAnAuthorSeesHaveNoSignal(t *testing.T) {
	each(t, func(h *town) {
		seen, hidden := h.submit(h.ann, "seen"), h.submit(h.ann, "hidden")
		h.vote(seen, h.bob, feed.VoteUp)
		h.vote(hidden, h.eve, feed.VoteUp)
		_, err := h.Community.ModerateNews(t.Context(), 2, feed.Hidden, "")
		h.ok(err)
		made, err := h.SignalVotes(t.Context())
		h.ok(err)
		got, err := h.Signals.Signals(t.Context(), "", 10, 0)
		h.ok(err)
		want := feed.Signal{
			Kind: feed.EntryVoted, FeedURL: seen.FeedURL, Entry: seen.ID, Time: h.now.Time,
			Votes: feed.SignalVotes{Score: float64(h.now.Time.Unix() + 2*432), Up: 2},
		}
		if diff := cmp.Diff([]feed.Signal{want}, got, cmpopts.IgnoreFields(feed.Signal{}, "ID"), cmpopts.EquateApproxTime(time.Millisecond)); diff != "" || made != 1 {
			t.Errorf("%d signals (-want +got):\n%s", made, diff)
		}
	})
}
