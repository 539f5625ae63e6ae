package community_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

const harbour = "https://harbour.example/feed.xml"

// post returns an entry of a source.
func (h *town) post(title string) *feed.Entry {
	e := h.entry(1, title)
	e.FeedURL, e.Link = harbour, "https://harbour.example/"+title
	return e
}

func number64(e *feed.Entry) int64 {
	n, _ := strconv.ParseInt(e.Number(), 10, 64)
	return n
}

func (h *town) offer(e *feed.Entry) map[string]string {
	h.t.Helper()
	h.ok(h.Community.Offer(h.t.Context(), []feed.Entry{*e}))
	return h.news(e)
}

func TestOfferedEntryIsNewsWithoutAuthor(t *testing.T) {
	each(t, func(h *town) {
		e := h.post("one")
		_, err := h.Rankings.Vote(h.t.Context(), e, h.eve, feed.VoteUp) // before the entry is news
		h.ok(err)
		for range 2 {
			if n := h.offer(e); n["title"] != "one" || n["source"] != harbour || n["user_id"] != "0" || n["up"] != "1" || n["comments"] != "0" {
				t.Errorf("the news is %v", n)
			}
		}
		h.vote(e, h.ann, feed.VoteUp)
		h.wantKarma("after a vote that nobody gets karma for", h.ann, 0)
		if _, err := h.Community.AddComment(t.Context(), number64(e), h.bob, feed.NoParent, "First"); err != nil {
			t.Error(err)
		}
		e.Title, e.Link = "two", "https://harbour.example/two"
		if n := h.offer(e); n["title"] != "two" || n["url"] != e.Link || n["comments"] != "1" || n["up"] != "2" {
			t.Errorf("after an edit the news is %v", n)
		}
		if known := h.raw.Keys("url:*"); len(known) != 1 || known[0] != "url:"+e.Link {
			t.Errorf("after an edit the known URLs are %v", known)
		}
		var duplicate *feed.DuplicateError
		if err := h.Community.Submit(t.Context(), h.entry(h.bob, "x"), &feed.Submission{Title: "x", URL: e.Link}, false); !errors.As(err, &duplicate) || duplicate.First != number64(e) {
			t.Errorf("a submission of its URL: %v", err)
		}
		h.fails(h.Community.EditNews(t.Context(), number64(e), h.ann, true, link("mine"), false), feed.ErrForbidden)
		untitled := h.post("")
		if n := h.offer(untitled); len(n) != 0 {
			t.Errorf("an entry without title is news: %v", n)
		}
	})
}

func TestOfferedEntryIsDeletedWithItsThread(t *testing.T) {
	each(t, func(h *town) {
		e := h.post("one")
		h.offer(e)
		h.vote(e, h.ann, feed.VoteUp)
		_, err := h.Community.AddComment(t.Context(), number64(e), h.bob, feed.NoParent, "First")
		h.ok(err)
		h.ok(h.Community.RemoveNews(t.Context(), e.ID))
		for _, key := range []string{"news:", "news.up:", "thread:comment:"} {
			if h.raw.Int("EXISTS", key+e.Number()) != 0 {
				t.Errorf("%s%s is left", key, e.Number())
			}
		}
		h.ok(h.Community.EraseMember(t.Context(), h.bob)) // whose comment is gone
		if left := h.raw.Keys("user.comments:*"); len(left) != 0 {
			t.Errorf("%v is left", left)
		}
		h.ok(h.Community.RemoveNews(t.Context(), e.ID))
	})
}

// An administrator ends the discussion of an entry, and the next reading of the source does not begin it again.
func TestDeletedOfferStaysDeleted(t *testing.T) {
	each(t, func(h *town) {
		e := h.post("one")
		h.offer(e)
		h.fails(h.Community.DeleteNews(t.Context(), number64(e), h.ann, false), feed.ErrForbidden)
		h.ok(h.Community.DeleteNews(t.Context(), number64(e), h.ann, true))
		e.Title = "two"
		if n := h.offer(e); n["del"] != "1" || n["title"] != "one" || h.score("news.cron", e.Number()) != "" {
			t.Errorf("the news is %v", n)
		}
	})
}
