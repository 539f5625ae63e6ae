package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// reviewed is a store with submissions that wait for a moderator.
type reviewed struct {
	listed
	now *clock
	raw *storetest.Redigo
}

// holds submits something that is held.
func (s reviewed) holds(user int64, title string) feed.Entry {
	s.t.Helper()
	return s.saves(feed.Entry{FeedURL: feed.MemberURL(user), GUID: title, Title: title, Timestamp: s.now.Time.Truncate(time.Second), Hidden: true})
}

// decides returns who saw a submission before a moderator decides about it.
func (s reviewed) decides(e *feed.Entry, state feed.Visibility, reason string) feed.Visibility {
	s.t.Helper()
	before, err := s.ModerateSubmission(s.t.Context(), newsID(*e), state, reason)
	s.ok(err)
	return before
}

// kinds returns the kinds of the signals of an entry.
func (s reviewed) kinds(e *feed.Entry) (kinds []string) {
	s.t.Helper()
	all, err := s.Signals.Signals(s.t.Context(), "", 200, 0)
	s.ok(err)
	for _, one := range all {
		if one.Entry == e.ID {
			kinds = append(kinds, string(one.Kind))
		}
	}
	return kinds
}

// seen describes what a reader sees of a submission, and where it is listed.
func (s reviewed) seen(user int64, e *feed.Entry) string {
	s.t.Helper()
	found, err := s.Community.News(s.t.Context(), user, newsID(*e))
	s.ok(err)
	entries, err := s.Entries.HeadlinesByID(s.t.Context(), []string{e.ID})
	s.ok(err)
	public, err := s.Community.PublicNews(s.t.Context(), []string{e.ID})
	s.ok(err)
	w, err := s.Community.Waiting(s.t.Context())
	s.ok(err)
	_, latest, err := s.Community.NewsRange(s.t.Context(), feed.NewsLatest, 0, 10)
	s.ok(err)
	_, top, err := s.Community.NewsRange(s.t.Context(), feed.NewsTop, 0, 10)
	s.ok(err)
	stored, err := s.Entries.Entries(s.t.Context(), e.FeedURL, 0)
	s.ok(err)
	text := "nothing"
	if len(found) == 1 {
		text = fmt.Sprint(found[0].Title, " ", found[0].State, " ", found[0].Reason)
	}
	return fmt.Sprintf("%s; entry %d of %d, public %v, queue %d, lists %d %d, signals %v",
		text, len(entries), len(stored), public[e.ID], w.Held.Length, latest, top, s.kinds(e))
}

func (s reviewed) want(what string, user int64, e *feed.Entry, want string) {
	s.t.Helper()
	if got := s.seen(user, e); got != want {
		s.t.Errorf("%s: user %d sees\n %s, want\n %s", what, user, got, want)
	}
}

func eachReviewed(t *testing.T, test func(s reviewed, ann, bob int64)) {
	t.Helper()
	each(t, func(t *testing.T, raw *store.Store, now *clock, redis *storetest.Redigo) {
		s := reviewed{listed{raw, t}, now, redis}
		test(s, follower(t, raw, "ann"), follower(t, raw, "bob"))
	})
}

// 19
func TestHeldSubmissionIsNewWhenItIsApproved(t *testing.T) {
	eachReviewed(t, func(s reviewed, ann, bob int64) {
		e := s.holds(ann, "a")
		const waits = "; entry 0 of 0, public false, queue 1, lists 0 0, signals []"
		s.want("held", ann, &e, "a held "+waits)
		s.want("held", bob, &e, "nothing"+waits)
		s.want("held", 0, &e, "nothing"+waits)
		if n, err := s.Entries.ExpireEntries(s.t.Context(), e.FeedURL, 0); n != 0 || err != nil {
			s.t.Errorf("%d expired, %v", n, err)
		}
		if n := s.raw.Int("EXISTS", "article:"+e.Number()); n != 0 {
			s.t.Error("it is an article")
		}
		s.now.Advance(30 * time.Hour)
		for range 3 { // it is repeatable
			s.decides(&e, feed.Visible, "")
		}
		s.want("approved", bob, &e, "a  ; entry 1 of 1, public true, queue 0, lists 1 1, signals [post_created]")
		found, err := s.Entries.Entry(s.t.Context(), e.ID)
		news, failed := s.Community.News(s.t.Context(), bob, newsID(e))
		if now := s.now.Time.Truncate(time.Second); err != nil || failed != nil || !found.Timestamp.Equal(now) || !news[0].Created.Equal(s.now.Time) || news[0].Up != 1 ||
			!s.Rankings.VotingOpen(&found) {
			s.t.Errorf("approved at %v, the entry is %+v, the submission %+v, %v, %v", now, found, news, err, failed)
		}
		if err := s.Community.Submit(s.t.Context(), &e, &feed.Submission{Title: "a", URL: "https://a.example/a"}, true); err != nil {
			s.t.Error(err)
		}
		s.want("repeated by its author", bob, &e, "a  ; entry 1 of 1, public true, queue 0, lists 1 1, signals [post_created]")
		if before := s.decides(&e, feed.Held, ""); before != feed.Visible { // undone
			s.t.Errorf("it was %s", before)
		}
		s.want("undone", bob, &e, "nothing; entry 0 of 0, public false, queue 1, lists 1 1, signals [post_created]")
		s.decides(&e, feed.Visible, "")
		s.want("approved again", bob, &e, "a  ; entry 1 of 1, public true, queue 0, lists 1 1, signals [post_created]")
	})
}

// 19
func TestAuthorReadsWhyASubmissionIsRejected(t *testing.T) {
	eachReviewed(t, func(s reviewed, ann, bob int64) {
		ctx, e := s.t.Context(), s.holds(ann, "a")
		if before := s.decides(&e, feed.Rejected, "an advertisement"); before != feed.Held {
			s.t.Errorf("it was %s", before)
		}
		const rejected = "; entry 0 of 0, public false, queue 0, lists 0 0, signals []"
		s.want("rejected", ann, &e, "a rejected an advertisement"+rejected)
		s.want("rejected", bob, &e, "nothing"+rejected)
		link := feed.Submission{Title: "a", URL: "https://a.example/a"}
		if err := s.Community.EditNews(ctx, newsID(e), ann, false, &link, true); !errors.Is(err, feed.ErrConflict) {
			s.t.Errorf("editing it gave %v", err)
		}
		if err := s.Community.MaySubmit(ctx, ann, &link, true); err != nil {
			s.t.Errorf("submitting it again gave %v", err)
		}
		s.decides(&e, feed.Held, "") // undone
		s.want("undone", ann, &e, "a held ; entry 0 of 0, public false, queue 1, lists 0 0, signals []")
		s.decides(&e, feed.Hidden, "")
		s.want("hidden", ann, &e, "a  "+rejected)
		s.decides(&e, feed.Removed, "")
		s.want("removed", ann, &e, "  "+rejected)
		s.decides(&e, feed.Visible, "")
		s.want("restored", bob, &e, "a  ; entry 1 of 1, public true, queue 0, lists 1 1, signals [post_created]")
		if _, err := s.ModerateSubmission(ctx, newsID(e), "lost", ""); !errors.Is(err, feed.ErrInvalid) {
			s.t.Errorf("another state gave %v", err)
		}
	})
}

// 19: others neither learn of a held submission by its URL nor are kept from submitting it.
func TestHeldSubmissionDoesNotBlockItsURL(t *testing.T) {
	eachReviewed(t, func(s reviewed, ann, bob int64) {
		e := s.holds(ann, "a")
		link := feed.Submission{Title: "a", URL: "https://a.example/a"}
		duplicate := func(user, want int64) {
			s.t.Helper()
			var found *feed.DuplicateError
			if err := s.Community.MaySubmit(s.t.Context(), user, &link, true); errors.As(err, &found) != (want != 0) || want != 0 && found.First != want {
				s.t.Errorf("user %d: %v, want the submission %d", user, err, want)
			}
		}
		duplicate(ann, newsID(e))
		duplicate(bob, 0)
		same := s.submits(bob, "a", s.now.Time)
		s.now.Advance(40 * time.Hour)
		s.decides(&e, feed.Visible, "")
		duplicate(ann, newsID(same))
		other := s.holds(ann, "b")
		s.now.Advance(40 * time.Hour)
		s.raw.Do("EXPIRE", "url:https://a.example/b", 1)
		s.decides(&other, feed.Visible, "")
		if ttl := s.raw.Int("TTL", "url:https://a.example/b"); ttl != int(feed.NewsRepost.Seconds()) {
			s.t.Errorf("the URL leads to the approved submission for %d seconds", ttl)
		}
	})
}

// 19
func TestHeldSubmissionIsTakenDownWithoutASignal(t *testing.T) {
	eachReviewed(t, func(s reviewed, ann, bob int64) {
		ctx, e := s.t.Context(), s.holds(ann, "a")
		n := newsID(e)
		if _, err := s.Community.VoteOnNews(ctx, &e, bob, feed.VoteUp); !errors.Is(err, feed.ErrGone) {
			s.t.Errorf("a vote gave %v", err)
		}
		for user, want := range map[int64]error{bob: feed.ErrGone, ann: feed.ErrConflict} {
			if _, err := s.Community.AddComment(ctx, n, user, feed.NoParent, "A"); !errors.Is(err, want) {
				s.t.Errorf("a comment of user %d gave %v", user, err)
			}
		}
		if err := s.Community.Report(ctx, feed.Reported{News: n}, bob, "spam"); !errors.Is(err, feed.ErrGone) {
			s.t.Errorf("a report gave %v", err)
		}
		s.now.Advance(time.Hour) // its author edits and deletes it as long as it waits
		s.ok(s.Community.EditNews(ctx, n, ann, false, &feed.Submission{Title: "b", Text: "B"}, true))
		s.ok(s.Community.DeleteNews(ctx, n, ann, false))
		_, err := s.Entries.TakeDownEntry(ctx, e.ID)
		s.ok(err)
		s.want("deleted", ann, &e, "  ; entry 0 of 0, public false, queue 0, lists 0 0, signals []")
		if deleted, err := s.Entries.Deleted(ctx, e.FeedURL); err != nil || len(deleted) != 0 {
			s.t.Errorf("its feed lists as deleted %v, %v", deleted, err)
		}

		e = s.holds(ann, "c")
		_, err = s.People.RemoveAccount(ctx, "ann")
		s.ok(err)
		s.ok(s.EraseAccounts(ctx))
		s.want("erased", bob, &e, "nothing; entry 0 of 0, public false, queue 0, lists 0 0, signals []")
		if s.raw.Of(e.FeedURL).Int("EXISTS", e.ID) != 0 {
			s.t.Error("the entry of an erased member remains")
		}
	})
}

// 19: what a moderator approved cannot be exchanged.
func TestEditOfAnApprovedSubmissionIsReviewed(t *testing.T) {
	eachReviewed(t, func(s reviewed, ann, bob int64) {
		ctx, e := s.t.Context(), s.holds(ann, "a")
		s.decides(&e, feed.Visible, "")
		s.ok(s.Community.EditNews(ctx, newsID(e), ann, false, &feed.Submission{Title: "b", URL: "https://a.example/b"}, true))
		ref := feed.EntryRef{FeedURL: e.FeedURL, ID: e.ID}
		s.ok(s.Entries.HideEntry(ctx, ref))
		edited, err := s.Entries.Entry(ctx, e.ID)
		s.ok(err)
		edited.Title = "b"
		s.ok(s.Entries.SaveEntry(ctx, &edited))
		const held = "; entry 0 of 0, public false, queue 1, lists 1 1, signals [post_created]"
		s.want("edited", ann, &e, "b held "+held)
		s.want("edited", bob, &e, "nothing"+held)
		for range 2 {
			s.decides(&e, feed.Visible, "")
		}
		s.want("approved", bob, &e, "b  ; entry 1 of 1, public true, queue 0, lists 1 1, signals [post_created post_modified]")
	})
}

// 19: moderators who decide about a held submission at the same time publish it once.
func TestHeldSubmissionIsPublishedOnce(t *testing.T) {
	each(t, func(t *testing.T, raw *store.Store, now *clock, redis *storetest.Redigo) {
		s := reviewed{listed{raw, t}, now, redis}
		ann := follower(t, raw, "ann")
		for i := range 10 {
			e := s.holds(ann, fmt.Sprint(i))
			var all sync.WaitGroup
			for _, state := range []feed.Visibility{feed.Visible, feed.Rejected, feed.Visible, feed.Held} {
				all.Go(func() {
					if _, err := s.ModerateSubmission(t.Context(), newsID(e), state, "spam"); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			s.decides(&e, feed.Visible, "")
			if got := fmt.Sprint(s.kinds(&e)); got != "[post_created]" {
				t.Errorf("the signals are %s", got)
			}
		}
	})
}
