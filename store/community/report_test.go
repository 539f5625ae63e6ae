package community_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// queue returns the queue of reports, read page by page.
func (h *town) queue() (all []feed.Report) {
	h.t.Helper()
	for after := (feed.Cursor{}); ; {
		page, next, err := h.Community.Reports(h.t.Context(), after, 1)
		h.ok(err)
		all = append(all, page...)
		if after = next; after.IsZero() {
			return all
		}
	}
}

func TestReportsWaitForAModerator(t *testing.T) {
	each(t, func(h *town) {
		ctx, e := t.Context(), h.submit(h.ann, "one")
		c := h.comment(h.bob, feed.NoParent, "Rude")
		news, comment := feed.Reported{News: 1}, feed.Reported{News: 1, Comment: c}
		h.ok(h.Community.Report(ctx, news, h.eve, "spam"))
		h.now.Advance(time.Minute)
		h.ok(h.Community.Report(ctx, comment, h.eve, "an insult"))
		h.now.Advance(time.Minute)
		for range 2 { // the second one changes nothing
			h.ok(h.Community.Report(ctx, comment, h.ann, "rude: read it"))
		}
		h.fails(h.Community.Report(ctx, comment, h.bob, "mine"), feed.ErrForbidden)
		h.fails(h.Community.Report(ctx, feed.Reported{News: 1, Comment: 9}, h.ann, "x"), feed.ErrNotFound)
		h.fails(h.Community.Report(ctx, feed.Reported{News: 9}, h.ann, "x"), feed.ErrNotFound)
		q := h.queue()
		if len(q) != 2 || q[0].ID != "1-1" || q[0].Body != "Rude" || q[0].Author != "bob" || q[0].Title != "one" || q[0].State != feed.Visible ||
			len(q[0].Reasons) != 2 || q[0].Reasons[1].Reason != "rude: read it" || q[0].Reasons[1].Account != "ann" || q[1].ID != "1" || q[1].Author != "ann" {
			t.Fatalf("the queue is %+v", q)
		}
		if w, err := h.Community.Waiting(ctx); err != nil || w != (feed.Waiting{Reports: feed.Queue{Length: 2, Since: q[1].Since}}) {
			t.Errorf("for a moderator wait %+v, %v", w, err)
		}
		if most, err := h.Community.MostReported(ctx, 1); err != nil || len(most) != 1 || most[0].ID != "1-1" || most[0].Karma != 1 || most[0].Joined.IsZero() {
			t.Errorf("most members have reported %+v, %v", most, err)
		}
		if closed, err := h.Community.CloseReport(ctx, comment); err != nil || !closed {
			t.Errorf("closed: %v, %v", closed, err)
		}
		if reopened, err := h.Community.ReopenReport(ctx, comment); err != nil || !reopened {
			t.Errorf("reopened: %v, %v", reopened, err)
		}
		if q := h.queue(); len(q) != 2 || q[0].ID != "1-1" || !q[0].Since.Equal(q[0].Reasons[0].Time) {
			t.Errorf("reopened, the queue is %+v", q)
		}
		if closed, err := h.Community.CloseReport(ctx, comment); err != nil || !closed {
			t.Errorf("closed again: %v, %v", closed, err)
		}
		h.ok(h.Community.Report(ctx, comment, h.ann, "again")) // who has reported it does not open it again
		if q := h.queue(); len(q) != 1 {
			t.Errorf("the queue is %+v", q)
		}
		other := h.member("zoe")
		h.ok(h.Community.Report(ctx, comment, other, "still rude"))
		if q := h.queue(); len(q) != 2 || len(q[0].Reasons) != 3 {
			t.Errorf("the queue is %+v", q)
		}
		h.ok(h.Community.EraseMember(ctx, h.eve)) // who alone has reported the submission
		h.ok(h.Community.EraseMember(ctx, h.bob)) // whose comment it is
		q = h.queue()
		if len(q) != 1 || len(q[0].Reasons) != 2 || q[0].Author != "" || q[0].AuthorID != 0 || q[0].Body != "Rude" {
			t.Errorf("the queue is %+v", q)
		}
		h.ok(h.Community.DeleteNews(ctx, 1, h.ann, true))
		if q := h.queue(); len(q) != 1 || !q[0].Deleted || q[0].Title != "" {
			t.Errorf("the queue is %+v", q)
		}
		h.fails(h.Community.Report(ctx, news, other, "x"), feed.ErrGone)
		h.raw.Do("DEL", "thread:comment:"+e.Number())
		h.raw.Do("HSET", "news:"+e.Number(), "comments", 0)
		if q := h.queue(); len(q) != 1 || !q[0].Deleted {
			t.Errorf("without its thread the queue is %+v", q)
		}
	})
}

func TestFloodOfReportsIsBounded(t *testing.T) {
	each(t, func(h *town) {
		ctx := t.Context()
		h.submit(h.ann, "one")
		for i := range feed.MaxReports + 5 {
			h.ok(h.Community.Report(ctx, feed.Reported{News: 1}, h.member(fmt.Sprint("troll", i)), "x"))
		}
		if q := h.queue(); len(q) != 1 || len(q[0].Reasons) != feed.MaxReports {
			t.Errorf("the queue has %d objects, the first %d reasons", len(q), len(q[0].Reasons))
		}
		var comments []int64
		for i := range feed.ReportsAnHour + 1 {
			if i%feed.CommentsAMinute == 0 {
				h.now.Advance(time.Minute)
			}
			comments = append(comments, h.comment(h.bob, feed.NoParent, fmt.Sprint(i)))
		}
		for i, c := range comments {
			err := h.Community.Report(ctx, feed.Reported{News: 1, Comment: c}, h.eve, "x")
			if quota, often := errors.AsType[*feed.QuotaError](err); often != (i == feed.ReportsAnHour) || often && quota.Wait <= 0 {
				t.Fatalf("report %d: %v", i, err)
			}
		}
		h.now.Advance(time.Hour)
		h.ok(h.Community.Report(ctx, feed.Reported{News: 1, Comment: comments[feed.ReportsAnHour]}, h.eve, "x"))
		h.now.Advance(feed.ReportsStored + time.Second) // what no moderator has read for so long leaves the queue
		h.ok(h.Community.Report(ctx, feed.Reported{News: 1}, h.member("late"), "x"))
		for _, r := range h.queue() {
			if r.ID != "1" {
				t.Errorf("the queue has %+v", r)
			}
		}
	})
}
