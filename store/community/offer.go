package community

import (
	"context"
	"slices"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Offered reports whether Options.Discussed names a source.
func (s *Store) Offered(feedURL string) bool {
	return slices.Contains(s.db.Options().Discussed, feedURL)
}

// Offer makes entries of a source news without author, on which members vote and comment, and brings the titles and URLs of those that are
// news in line with them. Entries without title or link are left out. News that was deleted stays so.
func (s *Store) Offer(ctx context.Context, entries []feed.Entry) error {
	k, wanted := s.keys(), make([]feed.Submission, len(entries))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for i := range entries {
			wanted[i] = feed.OfferOf(&entries[i])
			b.Add("HMGET", k.news(numberOf(entries[i].ID)), "title", "url", "del")
		}
	})
	if err != nil {
		return core.Wrap(err, "offer entries")
	}
	for i := range entries {
		is, offer := r.Texts(), &wanted[i]
		if offer.Check() != nil || is[2] != "" || is[0] == offer.Title && is[1] == offer.URL {
			continue
		}
		call, n := s.articles.Invocation(&entries[i]), numberOf(entries[i].ID)
		if _, err := s.db.Run(ctx, s.scripts["offer"],
			append(call.Keys, k.news(n), k.up(n), k.down(n), k.top(), k.latest(), k.url(offer.URL)),
			append(call.Args, n, entries[i].FeedURL, offer.Title, offer.URL, int(feed.NewsRepost.Seconds()))); err != nil {
			return core.Wrap(err, "offer %s", entries[i].ID)
		}
	}
	return nil
}

// QueryThread adds the command that reads how many comments an entry has. Its reply is a list; see ReadThread.
func (s *Store) QueryThread(b *core.Batch, id string) {
	b.Add("HMGET", s.keys().news(numberOf(id)), "comments", "source", "del", "state")
}

// ReadThread takes the reply to the command of QueryThread: how many comments an entry of a source has, and whether members can comment on it.
func (s *Store) ReadThread(r *core.Replies) (comments string, open bool) {
	is := r.Texts()
	return is[0], is[1] != "" && is[2] == "" && is[3] == ""
}
