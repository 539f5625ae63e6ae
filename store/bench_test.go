package store_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The limit of each benchmark is the same mix of commands, made beforehand and sent raw in one pipeline, over a connection
// with the same buffers to the same server. See storetest.Race for what is reported. On disk a share may be more than one:
// the server writes a script to disk once, and a long pipeline each time it has read a part of it.

// BenchmarkRecordImpressions records one fetch of a feed of 50 articles, of which none or every fourth is then imported.
func BenchmarkRecordImpressions(b *testing.B) {
	for _, bc := range []struct {
		name  string
		every int // so many articles have been seen often enough but once: one in every
	}{{"none promoted", 0}, {"every fourth promoted", 4}} {
		b.Run(bc.name, func(b *testing.B) {
			storetest.EachDurability(b, func(b *testing.B, dial store.DialFunc) { recordImpressions(b, dial, bc.every) })
		})
	}
}

func recordImpressions(b *testing.B, dial store.DialFunc, every int) {
	const articles, typ = 50, "production"
	s, raw := open(b, store.Options{Dial: dial}), storetest.NewPipeline(b, dial)
	var shown []feed.Impression
	var rewind, look, count, promote []storetest.Command
	promoted := 0
	for i := range articles {
		uuid := released(b, s, typ, i)
		article, list := "article:"+uuid, "article:"+uuid+":impressions:"+typ
		shown = append(shown, feed.Impression{UUID: uuid, Revision: 1})
		look = append(look, storetest.Command{"HGET", article, "revision_" + typ}, storetest.Command{"ZSCORE", "published_" + typ, uuid})
		count = append(count, storetest.Command{"LPUSH", list, "1795176000.000"})
		rewind = append(rewind, storetest.Command{"DEL", list})
		if every > 0 && i%every == 0 {
			promoted++
			rewind = append(rewind,
				storetest.Command{"RPUSH", list, 3, 2, 1}, storetest.Command{"ZADD", "published_" + typ, i, uuid}, storetest.Command{"ZREM", "imported_" + typ, uuid})
			promote = append(promote,
				storetest.Command{"ZREM", "published_" + typ, uuid}, storetest.Command{"ZADD", "imported_" + typ, "1795176000.000", uuid},
				storetest.Command{"HSET", article, "date_imported_" + typ, "1795176000.000"})
		}
	}
	if promoted > 0 {
		promote = append(promote, storetest.Command{"INCR", "version:" + typ})
	}
	mix := slices.Concat(look, count, promote, []storetest.Command{{"SET", "fetch:" + typ + ":raw", "answer", "EX", 3600}})
	fetch := 0
	storetest.Race{
		Before: func() { raw.Run(rewind...); fetch++ },
		Ours: func() {
			result, err := s.Articles.RecordImpressions(b.Context(), typ, oneFetch(strconv.Itoa(fetch), shown), feed.ImportAfter)
			if err != nil || result.Counted != articles || len(result.Promoted) != promoted {
				b.Fatal(result, err)
			}
		},
		Limit: func() { raw.Run(mix...) },
	}.Run(b)
}

// released makes an article and publishes it.
func released(b *testing.B, s *store.Store, typ string, i int) (uuid string) {
	b.Helper()
	guid := strconv.Itoa(i)
	uuid = feed.ArticleUUID(harbour, guid)
	if _, err := s.Articles.SaveArticle(b.Context(), feed.Article{
		UUID: uuid, FeedURL: harbour, GUID: guid, Title: "Article " + guid, Canonical: "http://harbour.example/" + guid,
		Authors: []string{"Ada"}, Content: "<p>Text</p>", Digest: "digest", Published: time.Unix(1795176000, 0),
	}); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Publish(b.Context(), uuid, typ, ""); err != nil {
		b.Fatal(err)
	}
	return uuid
}
