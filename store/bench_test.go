package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// The limit of each benchmark is the same mix of commands, made beforehand and sent raw in one pipeline, over a connection
// with the same buffers to the same server. See storetest.Race for what is reported. On disk a share may be more than one:
// the server writes a script to disk once, and a long pipeline each time it has read a part of it.

// BenchmarkSaveEntries saves a document of 30 new entries of 4 KB: digests, the question what is new, and the script.
func BenchmarkSaveEntries(b *testing.B) {
	saveEntries(b, func(s *store.Store, c feed.Claim, doc feed.Document) { save(b, s, c, doc) })
}

// BenchmarkSaveScript is the last part of that: the script alone, for entries that are ready to be written.
func BenchmarkSaveScript(b *testing.B) {
	drafts := store.Drafts(document(30).Entries)
	saveEntries(b, func(s *store.Store, c feed.Claim, _ feed.Document) {
		if saved, err := s.SaveDrafts(b.Context(), c, drafts); err != nil || saved.Created != len(drafts) {
			b.Fatal(saved, err)
		}
	})
}

func saveEntries(b *testing.B, ours func(*store.Store, feed.Claim, feed.Document)) {
	b.Helper()
	eachDurability(b, func(b *testing.B, dial store.DialFunc) {
		s, raw, doc := open(b, store.Options{Dial: dial}), newPipeline(b, dial), document(30)
		mix := savingCommands(doc)
		var c feed.Claim
		storetest.Race{
			Before: func() {
				raw.run(command{"FLUSHDB"})
				c = claim(b, s)
			},
			Ours:  func() { ours(s, c, doc) },
			Limit: func() { raw.run(mix...) },
		}.Run(b)
	})
}

// savingCommands store a document as a program would that knows all entries to be new.
func savingCommands(doc feed.Document) (all []command) {
	for i := range doc.Entries {
		e, id, digest := &doc.Entries[i], "Entry:"+strconv.Itoa(i+1), doc.Entries[i].Digest()
		set := command{"HSET", id}
		for name, value := range e.Fields() {
			set = append(set, name, value)
		}
		all = append(all,
			command{"INCR", "ids:Entry"},
			set,
			command{"HSET", e.FeedURL + ":guidmap", e.GUID, id},
			command{"ZADD", e.FeedURL + ":sort", e.Timestamp.Unix(), id},
			command{
				"XADD", "signals", "*", "kind", "post_created", "feed_url", e.FeedURL, "time", "1795176000.000",
				"guid", e.GUID, "entry", id, "digest", digest,
			})
	}
	return all
}

// BenchmarkUnchanged saves a document of 30 entries that are all stored already.
func BenchmarkUnchanged(b *testing.B) {
	dial := storetest.Redis(b)
	s, raw, doc := open(b, store.Options{Dial: dial}), newPipeline(b, dial), document(30)
	c := claim(b, s)
	save(b, s, c, doc)
	guids := command{"HMGET", harbour + ":guidmap"}
	compare := []command{nil}
	for i := range doc.Entries {
		guids = append(guids, doc.Entries[i].GUID)
		compare = append(compare, command{"HGET", "Entry:" + strconv.Itoa(i+1), "digest"})
	}
	compare[0] = guids
	storetest.Race{
		Ours: func() {
			if saved, err := s.SaveEntries(b.Context(), c, doc); err != nil || saved.Unchanged != len(doc.Entries) {
				b.Fatal(saved, err)
			}
		},
		Limit: func() { raw.run(compare...) },
	}.Run(b)
}

// BenchmarkRecordImpressions records one fetch of a feed of 50 articles, of which none or every fourth is then imported.
func BenchmarkRecordImpressions(b *testing.B) {
	for _, bc := range []struct {
		name  string
		every int // so many articles have been seen often enough but once: one in every
	}{{"none promoted", 0}, {"every fourth promoted", 4}} {
		b.Run(bc.name, func(b *testing.B) {
			eachDurability(b, func(b *testing.B, dial store.DialFunc) { recordImpressions(b, dial, bc.every) })
		})
	}
}

func recordImpressions(b *testing.B, dial store.DialFunc, every int) {
	const articles, typ = 50, "production"
	s, raw := open(b, store.Options{Dial: dial}), newPipeline(b, dial)
	var shown []feed.Impression
	var rewind, look, count, promote []command
	promoted := 0
	for i := range articles {
		uuid := released(b, s, typ, i)
		article, list := "article:"+uuid, "article:"+uuid+":impressions:"+typ
		shown = append(shown, feed.Impression{UUID: uuid, Revision: 1})
		look = append(look, command{"HGET", article, "revision_" + typ}, command{"ZSCORE", "published_" + typ, uuid})
		count = append(count, command{"LPUSH", list, "1795176000.000"})
		rewind = append(rewind, command{"DEL", list})
		if every > 0 && i%every == 0 {
			promoted++
			rewind = append(rewind,
				command{"RPUSH", list, 3, 2, 1}, command{"ZADD", "published_" + typ, i, uuid}, command{"ZREM", "imported_" + typ, uuid})
			promote = append(promote,
				command{"ZREM", "published_" + typ, uuid}, command{"ZADD", "imported_" + typ, "1795176000.000", uuid},
				command{"HSET", article, "date_imported_" + typ, "1795176000.000"})
		}
	}
	if promoted > 0 {
		promote = append(promote, command{"INCR", "version:" + typ})
	}
	mix := slices.Concat(look, count, promote, []command{{"SET", "fetch:" + typ + ":raw", "answer", "EX", 3600}})
	fetch := 0
	storetest.Race{
		Before: func() { raw.run(rewind...); fetch++ },
		Ours: func() {
			result, err := s.RecordImpressions(b.Context(), typ, oneFetch(strconv.Itoa(fetch), shown), feed.ImportAfter)
			if err != nil || result.Counted != articles || len(result.Promoted) != promoted {
				b.Fatal(result, err)
			}
		},
		Limit: func() { raw.run(mix...) },
	}.Run(b)
}

// released makes an article and publishes it.
func released(b *testing.B, s *store.Store, typ string, i int) (uuid string) {
	b.Helper()
	guid := strconv.Itoa(i)
	uuid = feed.ArticleUUID(harbour, guid)
	if _, err := s.SaveArticle(b.Context(), feed.Article{
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

// BenchmarkEntryMemory measures what 3,000 entries of 4 KB take of Redis' memory, with all that is kept about them, for
// each byte of their text.
func BenchmarkEntryMemory(b *testing.B) {
	dial := storetest.Redis(b)
	s, raw := open(b, store.Options{Dial: dial}), newPipeline(b, dial)
	doc, text := document(3000), 0
	for i := range doc.Entries {
		text += len(doc.Entries[i].Content)
	}
	var bytes int
	for b.Loop() {
		raw.run(command{"FLUSHDB"})
		c := claim(b, s)
		before := usedMemory(b, raw)
		save(b, s, c, doc)
		bytes = usedMemory(b, raw) - before
	}
	b.ReportMetric(float64(bytes)/float64(text), "of-text")
	b.ReportMetric(float64(bytes)/float64(len(doc.Entries)), "B/entry")
}

func usedMemory(b *testing.B, raw *pipeline) int {
	b.Helper()
	info, err := redis.String(raw.conn.Do("INFO", "memory"))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(info, "used_memory:")
	line, _, _ := strings.Cut(rest, "\r\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// eachDurability runs a benchmark on a Redis that keeps nothing, and on one that writes to disk before it answers, as the
// embedded one does.
func eachDurability(b *testing.B, bench func(b *testing.B, dial store.DialFunc)) {
	b.Helper()
	b.Run("memory", func(b *testing.B) { bench(b, storetest.Redis(b)) })
	b.Run("disk", func(b *testing.B) { bench(b, storetest.RedisAOF(b).Dial) })
}

// document makes entries of 4 KB of text, the same ones each time.
func document(entries int) (doc feed.Document) {
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Unix(1795176000, 0)
	for i := range entries {
		guid := fmt.Sprintf("http://harbour.example/2026/11/20/story-%d", i)
		doc.Entries = append(doc.Entries, feed.Entry{
			FeedURL: harbour, GUID: guid, Link: guid, Title: "What happened at the harbour on day " + strconv.Itoa(i),
			Timestamp: at.Add(time.Duration(i) * time.Second), Published: at, Authors: []string{"Ada Lovelace"},
			Content: storetest.Prose(random, 4096),
		})
	}
	return doc
}

func save(b *testing.B, s *store.Store, c feed.Claim, doc feed.Document) {
	b.Helper()
	if saved, err := s.SaveEntries(b.Context(), c, doc); err != nil || saved.Created != len(doc.Entries) {
		b.Fatal(saved, err)
	}
}

// command is a raw Redis command.
type command []any

// pipeline is a raw connection.
type pipeline struct {
	b    *testing.B
	conn redis.Conn
}

func newPipeline(b *testing.B, dial store.DialFunc) *pipeline {
	b.Helper()
	c, err := dial(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	conn := redis.NewConn(route.Buffered(c), 0, 0)
	b.Cleanup(func() { _ = conn.Close() })
	return &pipeline{b, conn}
}

// run sends all commands and then reads all replies.
func (p *pipeline) run(commands ...command) {
	p.b.Helper()
	for _, c := range commands {
		if err := p.conn.Send(c[0].(string), c[1:]...); err != nil {
			p.b.Fatal(err)
		}
	}
	replies, err := redis.Values(p.conn.Do("")) // sends nothing more, and reads what is due
	if err != nil {
		p.b.Fatal(err)
	}
	for i, reply := range replies {
		if err, failed := reply.(redis.Error); failed {
			p.b.Fatalf("%v: %v", commands[i][0], err)
		}
	}
}

// BenchmarkCluster is what a cluster costs on the way: documents of 30 entries, of which three have changed, saved to a
// cluster, in one slot or in parts, and, as the limit, to one Redis like its nodes.
func BenchmarkCluster(b *testing.B) {
	b.Run("slot", func(b *testing.B) {
		options, _ := shared.Place(b)
		saveToCluster(b, options)
	})
	b.Run("parts", func(b *testing.B) {
		options, _ := shared.Spread(b, harbour)
		saveToCluster(b, options)
	})
}

func saveToCluster(b *testing.B, options store.Options) {
	b.Helper()
	const documents = 20
	saver := func(o store.Options) func() {
		o.FirstSignals, o.Timeout = 1000, 20*time.Second
		s := storetest.New(b, o)
		c, doc := claim(b, s), document(30)
		save(b, s, c, doc)
		edition := 0
		return func() {
			for range documents {
				edition++
				for i := range 3 {
					doc.Entries[i].Title = strconv.Itoa(edition)
				}
				if saved, err := s.SaveEntries(b.Context(), c, doc); err != nil || saved.Modified != 3 {
					b.Fatal(saved, err)
				}
			}
		}
	}
	one := storetest.RedisTCP(b)
	storetest.Race{
		Ours: saver(options), Limit: saver(store.Options{URL: "redis://" + one.Addr()}), Ops: documents,
	}.Run(b)
}
