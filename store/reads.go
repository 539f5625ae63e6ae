package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/feed"
)

// The reads of pages and feeds that need several nouns in few exchanges.

// ArticleView returns an article with its versions, its audit entries, up to visits visits of each of the given feeds, and its
// source, in two exchanges. feed.ErrNotFound: there is no such article.
func (s *Store) ArticleView(ctx context.Context, uuid string, types []string, visits int) (feed.ArticleView, error) {
	view := feed.ArticleView{Visits: make(map[string][]feed.Visit, len(types))}
	r, err := s.db.Pipeline(ctx, "articles", func(b *core.Batch) {
		s.Articles.QueryArticle(b, uuid, types, true)
		s.Articles.QueryArticleVersions(b, uuid)
		s.Audit.QueryArticleAudit(b, uuid)
		for _, typ := range types {
			s.Articles.QueryVisits(b, typ, visits)
		}
	})
	if err != nil {
		return view, core.Wrap(err, "article %s", uuid)
	}
	var found bool
	if view.Article, found = s.Articles.ReadArticle(&r, types, true); !found {
		return view, core.Wrap(feed.ErrNotFound, "article %s", uuid)
	}
	view.Versions, view.AuditEntries = s.Articles.ReadArticleVersions(&r), s.Audit.ReadArticleAudit(&r)
	for _, typ := range types {
		view.Visits[typ] = s.Articles.ReadVisits(&r)
	}
	if view.Source, err = s.Sources.SourceByURL(ctx, view.Article.FeedURL); errors.Is(err, feed.ErrNotFound) {
		err = nil // it was removed
	}
	return view, core.Wrap(err, "article %s", uuid)
}

// Stories returns the titles of the sources of articles and the beginnings of their contents, up to size bytes of each, and the size of
// the inbox, in one exchange.
func (s *Store) Stories(ctx context.Context, articles []feed.Article, size int) (feed.Stories, error) {
	all := feed.Stories{Titles: make(map[string]string, len(articles)), Beginnings: make([]string, len(articles))}
	r, err := s.db.Pipeline(ctx, "articles", func(b *core.Batch) {
		b.ReturnDamage()
		s.Articles.QueryInboxSize(b)
		for i := range articles {
			s.Sources.QueryTitle(b, articles[i].FeedURL)
			s.Articles.QueryBeginning(b, articles[i].UUID, size)
		}
	})
	if err != nil {
		return all, core.Wrap(err, "read what %d articles are about", len(articles))
	}
	all.Inbox = r.Count()
	for i := range articles {
		if about, ok := s.Sources.ReadTitle(&r); ok {
			all.Titles[articles[i].FeedURL] = about.Title
		}
		all.Beginnings[i] = r.Text()
	}
	return all, nil
}

// SourceWithEntries returns a source with its last polls, and its newest entries without content. It takes two exchanges if the id
// was used before. feed.ErrNotFound: there is no such source.
func (s *Store) SourceWithEntries(ctx context.Context, id string, limit int) (source feed.Source, entries []feed.Entry, err error) {
	url, err := s.Sources.SourceURL(ctx, id)
	if err != nil {
		return source, nil, err
	}
	r, err := s.db.Pipeline(ctx, "sources", func(b *core.Batch) {
		s.Sources.QuerySource(b, url)
		s.Entries.QueryNewest(b, url, limit)
	})
	if err != nil {
		return source, nil, core.Wrap(err, "read source %s", id)
	}
	if source, err = s.Sources.ReadSource(id, url, &r); err != nil {
		return source, nil, err
	}
	if _, damaged := r[0].(error); damaged {
		return source, nil, s.Sources.ShowDamage(ctx, &source)
	}
	entries, err = s.Entries.LoadHeadlines(ctx, entry.Refs(url, r.Texts()...))
	return source, entries, err
}

// SourceVersion returns a text that changes with everything that a republished feed of the newest limit entries depends on: the
// entries with the numbers of comments on them, the description of the source, and the credentials to fetch it. feed.ErrNotFound: there is no such source.
func (s *Store) SourceVersion(ctx context.Context, id string, limit int) (string, error) {
	url, err := s.Sources.SourceURL(ctx, id)
	if err != nil {
		return "", err
	}
	r, err := s.db.Pipeline(ctx, "sources", func(b *core.Batch) {
		s.Sources.QuerySourceVersion(b, url)
		s.Entries.QueryNewest(b, url, limit)
		s.Entries.QueryDeleted(b, url)
	})
	if err != nil {
		return "", core.Wrap(err, "read version of source %s", id)
	}
	about, ids, deleted := r.Texts(), r.Texts(), r.Texts()
	if about[0] == "" {
		return "", core.Wrap(feed.ErrNotFound, "source %s", id)
	}
	digests, err := s.db.Pipeline(ctx, "sources", func(b *core.Batch) {
		for _, ref := range entry.Refs(url, ids...) {
			s.Entries.QueryVersion(b, ref)
			if s.Community.Offered(url) {
				s.Community.QueryThread(b, ref.ID)
			}
		}
	})
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q", about, ids, deleted, digests)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16]), core.Wrap(err, "read version of source %s", id)
}

// Counts returns the number of stored objects: sources by state, articles by state in each of the given feeds.
func (s *Store) Counts(ctx context.Context, types []string) (feed.Counts, error) {
	c := feed.Counts{Sources: make(map[feed.SourceState]int)}
	sources, err := s.Sources.ListSources(ctx)
	if err != nil {
		return c, err
	}
	if c.Articles, err = s.Articles.ArticleCounts(ctx, types); err != nil {
		return c, err
	}
	if c.Inbox, err = s.Articles.InboxSize(ctx); err != nil {
		return c, err
	}
	r, err := s.db.Pipeline(ctx, "counts", func(b *core.Batch) {
		b.ReturnDamage()
		b.Add("XLEN", s.db.Signals())
		for i := range sources {
			s.Entries.QueryEntryCount(b, sources[i].URL)
		}
	})
	if err != nil {
		return c, core.Wrap(err, "count entries")
	}
	c.Signals = r.Count()
	for i := range sources {
		c.Sources[sources[i].State()]++
		c.Entries += r.Count()
	}
	return c, nil
}
