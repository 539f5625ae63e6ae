package article

import (
	"context"
	"encoding/json"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

var articleFields = core.FieldsOf[feed.Article]()

// SaveArticle adds or updates an article, and reports whether anything was written. It is a no-op if the stored article has the
// same digest, or came with a later signal: readers of the signals may overtake each other.
func (s *Store) SaveArticle(ctx context.Context, a feed.Article) (bool, error) {
	args := append([]any{
		a.UUID, s.db.Stamp(), a.Digest, a.Content, a.Signal, packVersion(&a, s.db.Now()), feed.MaxVersions, a.DigestV1,
	}, fieldsOf(&a)...)
	keys := []any{s.keys.article(a.UUID), s.keys.content(a.UUID), s.keys.articles(), s.keys.versions(a.UUID), s.keys.inbox()}
	saved, err := redis.Int(s.db.Run(ctx, s.scripts["save_article"], keys, args))
	return saved > 0, core.Wrap(err, "save article %s", a.UUID)
}

// RefreshArticle sets what an article carries of its entry after a newer parser read the entry anew; before is the digest that the entry
// had until then, or empty. The article keeps its revisions and its place in every list. RefreshArticle is a no-op if there is no such
// article, or if it has other content: then a signal about the entry waits.
func (s *Store) RefreshArticle(ctx context.Context, a feed.Article, before string) error {
	args := append([]any{a.UUID, s.keys.Prefix(), s.db.Stamp(), a.Digest, a.Content, a.DigestV1, before}, fieldsOf(&a)...)
	_, err := s.db.Run(ctx, s.scripts["refresh_article"], []any{s.keys.article(a.UUID), s.keys.content(a.UUID), s.keys.inbox()}, args)
	return core.Wrap(err, "refresh article %s", a.UUID)
}

// fieldsOf returns the names and values of the fields that an article has from its entry.
func fieldsOf(a *feed.Article) []any {
	authors, _ := json.Marshal(a.Authors) // lists of strings and numbers always encode
	categories, _ := json.Marshal(a.Categories)
	enclosures, _ := json.Marshal(a.Enclosures)
	return []any{
		"uuid", a.UUID,
		"title", a.Title,
		"canonical", a.Canonical,
		"entry", a.Entry,
		"feed_url", a.FeedURL,
		"guid", a.GUID,
		"authors", string(authors),
		"summary", a.Summary,
		"categories", string(categories),
		"image", a.Image,
		"enclosures", string(enclosures),
		"fields", feed.EncodeList(a.Fields),
		"date_editorially_published", feed.FormatTime(a.Published),
		"date_modified", feed.FormatTime(a.Modified),
	}
}

// Article returns an article with its content and its placement in the given feeds. feed.ErrNotFound: there is none.
func (s *Store) Article(ctx context.Context, uuid string, types []string) (feed.Article, error) {
	all, err := s.articles(ctx, group, []string{uuid}, types, true)
	if err = core.Unless(len(all) > 0, err, feed.ErrNotFound); err != nil {
		return feed.Article{}, core.Wrap(err, "article %s", uuid)
	}
	return all[0], nil
}

// Articles returns articles without content, with their placement in the given feeds, in the order of the uuids. Missing articles are
// left out.
func (s *Store) Articles(ctx context.Context, uuids, types []string) ([]feed.Article, error) {
	all, err := s.articles(ctx, group, uuids, types, false)
	return all, core.Wrap(err, "read %d articles", len(uuids))
}

// QueryBeginning adds the command that reads up to size bytes of the content of an article.
func (s *Store) QueryBeginning(b *core.Batch, uuid string, size int) {
	b.Add("GETRANGE", s.keys.content(uuid), 0, size-1)
}

// articles reads articles in one pipeline, in the order of the uuids. Missing articles are left out.
func (s *Store) articles(ctx context.Context, op string, uuids, types []string, content bool) ([]feed.Article, error) {
	r, err := s.db.Pipeline(ctx, op, func(b *core.Batch) {
		for _, uuid := range uuids {
			s.QueryArticle(b, uuid, types, content)
		}
	})
	if err != nil {
		return nil, err
	}
	all := make([]feed.Article, 0, len(uuids))
	for range uuids {
		if a, ok := s.ReadArticle(&r, types, content); ok {
			all = append(all, a)
		}
	}
	return all, nil
}

// QueryArticle adds the commands that read an article with its placement in the given feeds, and its content if wanted.
func (s *Store) QueryArticle(b *core.Batch, uuid string, types []string, content bool) {
	b.Add("HGETALL", s.keys.article(uuid))
	b.Add("ZSCORE", s.keys.dismissed(), uuid)
	for _, typ := range types {
		b.Add("LRANGE", s.keys.impressions(uuid, typ), 0, -1)
		for _, set := range s.keys.sets(typ) {
			b.Add("ZSCORE", set, uuid)
		}
	}
	if content {
		b.Add("GET", s.keys.content(uuid))
	}
}

// ReadArticle takes the replies to the commands of QueryArticle; false if there is no such article.
func (s *Store) ReadArticle(r *core.Replies, types []string, content bool) (feed.Article, bool) {
	fields := r.Map()
	a := feed.Article{Feeds: make(map[string]feed.Placement)}
	articleFields.Read(fields, &a)
	a.Dismissed = feed.ParseTime(r.Text())
	for _, typ := range types {
		a.Feeds[typ] = readPlacement(r, typ, fields)
	}
	if content {
		a.Content = r.Text()
	}
	return a, a.UUID != ""
}
