package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// SaveArticle adds or updates an article (seed 000, first story). It reports false when nothing was written: the article
// has this digest already, or what a later signal told of. Readers of the signals may overtake each other.
func (s *Store) SaveArticle(ctx context.Context, a feed.Article) (bool, error) {
	authors, _ := json.Marshal(a.Authors) // lists of strings and numbers always encode
	categories, _ := json.Marshal(a.Categories)
	enclosures, _ := json.Marshal(a.Enclosures)
	args := []any{
		a.UUID, s.stamp(), a.Digest, a.Content, a.Signal, versionOf(&a, s.opts.Now()), feed.VersionsKept,
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
		"date_editorially_published", feed.FormatTime(a.Published),
		"date_modified", feed.FormatTime(a.Modified),
	}
	keys := []any{s.keys.article(a.UUID), s.keys.content(a.UUID), s.keys.articles(), s.keys.versions(a.UUID)}
	saved, err := redis.Int(s.run(ctx, "save_article", keys, args))
	if err != nil {
		return false, fmt.Errorf("save article %s: %w", a.UUID, err)
	}
	return saved > 0, nil
}

// Article is one article with its content and its placement in each of the given feeds (seed 000, second story).
// feed.ErrNotFound when there is none.
func (s *Store) Article(ctx context.Context, uuid string, types []string) (feed.Article, error) {
	all, err := s.loadArticles(ctx, "article", []string{uuid}, types, true)
	if err != nil {
		return feed.Article{}, err
	}
	if len(all) == 0 {
		return feed.Article{}, fmt.Errorf("article %s: %w", uuid, feed.ErrNotFound)
	}
	return all[0], nil
}

// loadArticles reads articles in one pipeline, in the order of the uuids; unknown ones are left out.
func (s *Store) loadArticles(
	ctx context.Context, op string, uuids, types []string, content bool,
) ([]feed.Article, error) {
	replies, err := s.pipeline(ctx, op, func(b *batch) {
		for _, uuid := range uuids {
			s.askArticle(b, uuid, types, content)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read articles: %w", err)
	}
	return articlesFromReplies(uuids, types, replies, content)
}

// articleReplies is how many answers askArticle leads to.
func articleReplies(types []string, content bool) int {
	n := 1 + 5*len(types)
	if content {
		n++
	}
	return n
}

func (s *Store) askArticle(b *batch, uuid string, types []string, content bool) {
	b.add("HGETALL", s.keys.article(uuid))
	for _, typ := range types {
		b.add("LRANGE", s.keys.impressions(uuid, typ), 0, -1)
		for _, state := range []feed.State{feed.StatePublished, feed.StateTakenBack, feed.StateExpired, feed.StateImported} {
			b.add("ZSCORE", s.keys.placed(state, typ), uuid)
		}
	}
	if content {
		b.add("GET", s.keys.content(uuid))
	}
}

// articlesFromReplies reads what askArticle asked for about each of the uuids; unknown ones are left out.
func articlesFromReplies(uuids, types []string, replies []any, content bool) ([]feed.Article, error) {
	all, stride := make([]feed.Article, 0, len(uuids)), articleReplies(types, content)
	for i, uuid := range uuids {
		part := replies[i*stride : (i+1)*stride]
		fields, err := redis.StringMap(part[0], nil)
		if err != nil {
			return nil, fmt.Errorf("read article %s: %w", uuid, err)
		}
		if fields["uuid"] == "" {
			continue
		}
		a := articleFromFields(fields)
		for j, typ := range types {
			a.Feeds[typ] = placementFromReplies(typ, fields, part[1+5*j:])
		}
		if content {
			a.Content, _ = redis.String(part[stride-1], nil) // none: empty
		}
		all = append(all, a)
	}
	return all, nil
}

func articleFromFields(f map[string]string) feed.Article {
	a := feed.Article{
		UUID:      f["uuid"],
		FeedURL:   f["feed_url"],
		GUID:      f["guid"],
		Entry:     f["entry"],
		Title:     f["title"],
		Canonical: f["canonical"],
		Summary:   f["summary"],
		Image:     f["image"],
		Digest:    f["digest"],
		Signal:    f["signal"],
		Published: feed.ParseTime(f["date_editorially_published"]),
		Modified:  feed.ParseTime(f["date_modified"]),
		Updated:   feed.ParseTime(f["date_updated"]),
		Feeds:     make(map[string]feed.Placement),
	}
	_ = json.Unmarshal([]byte(f["authors"]), &a.Authors) // absent or damaged: none
	_ = json.Unmarshal([]byte(f["categories"]), &a.Categories)
	_ = json.Unmarshal([]byte(f["enclosures"]), &a.Enclosures)
	return a
}
