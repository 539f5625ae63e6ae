package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// FindArticles are articles that match, in two exchanges: it looks through q.Look of them from the cursor on, and ends
// where q.Limit are found. They have their placement in the given feeds, and no content.
func (s *Store) FindArticles(
	ctx context.Context, q feed.ArticleQuery, types []string, match func(*feed.Article) bool,
) (page feed.ArticlePage, err error) {
	key := s.keys.articles()
	if q.State != "" {
		key = s.keys.placed(q.State, q.Type)
	}
	places, more, err := s.places(ctx, key, q.From, q.Look)
	if err != nil {
		return page, fmt.Errorf("find articles: %w", err)
	}
	uuids := make([]string, len(places))
	for i := range places {
		uuids[i] = places[i].Member
	}
	var b batch
	for _, uuid := range uuids {
		s.askArticle(&b, uuid, types, false)
	}
	replies, err := redis.Values(s.call(ctx, "articles", func(c redis.Conn) (any, error) { return exchange(c, b.commands) }))
	if err != nil {
		return page, fmt.Errorf("find articles: %w", err)
	}
	stride := articleReplies(types, false)
	for i := range uuids {
		found, err := articlesFromReplies(uuids[i:i+1], types, replies[i*stride:], false)
		if err != nil {
			return page, fmt.Errorf("find articles: %w", err)
		}
		page.Looked++
		if len(found) == 1 && match(&found[0]) {
			page.Articles = append(page.Articles, found[0])
		}
		if len(page.Articles) == q.Limit || i == len(uuids)-1 {
			if more || i < len(uuids)-1 {
				page.Next = places[i]
			}
			break
		}
	}
	return page, nil
}

// places are members of a sorted set from high scores to low, behind a cursor, in one exchange, and whether there are more
// behind them.
func (s *Store) places(ctx context.Context, key string, from feed.Cursor, limit int) (all []feed.Cursor, more bool, err error) {
	top := "+inf"
	if !from.IsZero() {
		top = "(" + strconv.FormatFloat(from.Score, 'f', -1, 64)
	}
	replies, err := s.pipeline(ctx, "articles", func(b *batch) {
		b.add("ZREVRANGEBYSCORE", key, top, "-inf", "WITHSCORES", "LIMIT", 0, limit+1)
		if !from.IsZero() { // many may have the score of the cursor
			b.add("ZREVRANGEBYSCORE", key, from.Score, from.Score)
		}
	})
	if err != nil {
		return nil, false, err
	}
	if len(replies) > 1 {
		same, err := redis.Strings(replies[1], nil)
		if err != nil {
			return nil, false, err
		}
		for _, member := range same {
			if member < from.Member {
				all = append(all, feed.Cursor{Score: from.Score, Member: member})
			}
		}
	}
	flat, err := redis.Strings(replies[0], nil)
	if err != nil {
		return nil, false, err
	}
	for i := 0; i+1 < len(flat); i += 2 {
		score, err := strconv.ParseFloat(flat[i+1], 64)
		if err != nil {
			return nil, false, err
		}
		all = append(all, feed.Cursor{Score: score, Member: flat[i]})
	}
	return all[:min(limit, len(all))], len(all) > limit, nil
}

// ArticleView is an article with all that is known about it, and up to visits visits of each of the given feeds, in two
// exchanges. feed.ErrNotFound: there is none.
func (s *Store) ArticleView(ctx context.Context, uuid string, types []string, visits int) (feed.ArticleView, error) {
	view := feed.ArticleView{Visits: make(map[string][]feed.Visit, len(types))}
	fail := func(err error) (feed.ArticleView, error) {
		return feed.ArticleView{}, fmt.Errorf("article %s: %w", uuid, err)
	}
	replies, err := s.pipeline(ctx, "article", func(b *batch) {
		s.askArticle(b, uuid, types, true)
		b.add("LRANGE", s.keys.versions(uuid), 0, -1)
		b.add("LRANGE", s.keys.deeds(uuid), 0, -1)
		for _, typ := range types {
			b.add("XREVRANGE", s.keys.visits(typ), "+", "-", "COUNT", visits)
		}
	})
	if err != nil {
		return fail(err)
	}
	found, err := articlesFromReplies([]string{uuid}, types, replies, true)
	if err != nil {
		return fail(err)
	}
	if len(found) == 0 {
		return fail(feed.ErrNotFound)
	}
	view.Article = found[0]
	rest := replies[articleReplies(types, true):]
	packed, err := redis.ByteSlices(rest[0], nil)
	if err != nil {
		return fail(err)
	}
	for _, p := range packed {
		view.Versions = append(view.Versions, versionFrom(p))
	}
	lines, err := redis.ByteSlices(rest[1], nil)
	if err != nil {
		return fail(err)
	}
	for _, line := range lines {
		var e feed.AuditEntry
		if json.Unmarshal(line, &e) == nil {
			view.Deeds = append(view.Deeds, e)
		}
	}
	for i, typ := range types {
		if view.Visits[typ], err = visitsFrom(rest[2+i]); err != nil {
			return fail(err)
		}
	}
	url := view.Article.FeedURL
	meta, err := redis.StringMap(s.do(ctx, "HGETALL", s.keys.of(url).meta(url)))
	if err == nil && len(meta) > 0 {
		view.Source = sourceFromMeta(url, meta)
	}
	return view, err
}
