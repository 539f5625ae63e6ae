package entry_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	entries "github.com/feedwire/feedwire/store/entry"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The limit of each benchmark is the same mix of commands, made beforehand and sent in one pipeline over a connection with the same
// buffers to the same server. See storetest.Race for what is reported. On disk a ratio may exceed one: the server writes a script
// to disk once, and a long pipeline each time it has read some of it.

// BenchmarkSaveEntries saves a document of 30 new entries of 4 KB: digests, comparison and script.
func BenchmarkSaveEntries(b *testing.B) {
	saveEntries(b, func(s *store.Store, c feed.Claim, doc feed.Document) { save(b, s, c, doc) })
}

// BenchmarkSaveScript is the last step of BenchmarkSaveEntries alone: the script, with entries ready to be written.
func BenchmarkSaveScript(b *testing.B) {
	drafts := entries.Drafts(storetest.Document(harbour, 30).Entries)
	saveEntries(b, func(s *store.Store, c feed.Claim, _ feed.Document) {
		if saved, err := s.Entries.SaveDrafts(b.Context(), c, drafts); err != nil || saved.Created != len(drafts) {
			b.Fatal(saved, err)
		}
	})
}

func saveEntries(b *testing.B, ours func(*store.Store, feed.Claim, feed.Document)) {
	b.Helper()
	storetest.EachDurability(b, func(b *testing.B, dial core.DialFunc) {
		s, raw, doc := open(b, store.Options{Dial: dial}), storetest.NewPipeline(b, dial), storetest.Document(harbour, 30)
		mix := savingCommands(doc)
		var c feed.Claim
		storetest.Race{
			Before: func() {
				raw.Run(storetest.Command{"FLUSHDB"})
				c = claim(b, s)
			},
			Ours:  func() { ours(s, c, doc) },
			Limit: func() { raw.Run(mix...) },
		}.Run(b)
	})
}

// savingCommands store a document like a program that assumes all entries to be new.
func savingCommands(doc feed.Document) (all []storetest.Command) {
	for i := range doc.Entries {
		e, id, digest := &doc.Entries[i], "Entry:"+strconv.Itoa(i+1), doc.Entries[i].Digest()
		set := storetest.Command{"HSET", id}
		for name, value := range e.Fields() {
			set = append(set, name, value)
		}
		all = append(all,
			storetest.Command{"INCR", "ids:Entry"},
			set,
			storetest.Command{"HSET", e.FeedURL + ":guidmap", e.GUID, id},
			storetest.Command{"ZADD", e.FeedURL + ":sort", e.Timestamp.Unix(), id},
			storetest.Command{
				"XADD", "signals", "*", "kind", "post_created", "feed_url", e.FeedURL, "time", "1795176000.000",
				"guid", e.GUID, "entry", id, "digest", digest,
			})
	}
	return all
}

// BenchmarkUnchanged saves a document of 30 entries that are already stored.
func BenchmarkUnchanged(b *testing.B) {
	dial := storetest.Redis(b)
	s, raw, doc := open(b, store.Options{Dial: dial}), storetest.NewPipeline(b, dial), storetest.Document(harbour, 30)
	c := claim(b, s)
	save(b, s, c, doc)
	guids := storetest.Command{"HMGET", harbour + ":guidmap"}
	compare := []storetest.Command{nil}
	for i := range doc.Entries {
		guids = append(guids, doc.Entries[i].GUID)
		compare = append(compare, storetest.Command{"HGET", "Entry:" + strconv.Itoa(i+1), "digest"})
	}
	compare[0] = guids
	storetest.Race{
		Ours: func() {
			if saved, err := s.Entries.SaveEntries(b.Context(), c, doc); err != nil || saved.Unchanged != len(doc.Entries) {
				b.Fatal(saved, err)
			}
		},
		Limit: func() { raw.Run(compare...) },
	}.Run(b)
}

// BenchmarkEntryMemory measures the memory that Redis needs for 3,000 entries of 4 KB with their indexes, for each byte of their
// text.
func BenchmarkEntryMemory(b *testing.B) {
	dial := storetest.Redis(b)
	s, raw := open(b, store.Options{Dial: dial}), storetest.Commands(b, dial)
	doc, text := storetest.Document(harbour, 3000), 0
	for i := range doc.Entries {
		text += len(doc.Entries[i].Content)
	}
	var bytes int
	for b.Loop() {
		raw.Do("FLUSHDB")
		c := claim(b, s)
		before := usedMemory(b, raw)
		save(b, s, c, doc)
		bytes = usedMemory(b, raw) - before
	}
	b.ReportMetric(float64(bytes)/float64(text), "of-text")
	b.ReportMetric(float64(bytes)/float64(len(doc.Entries)), "B/entry")
}

func usedMemory(b *testing.B, raw *storetest.Redigo) int {
	b.Helper()
	_, rest, _ := strings.Cut(string(raw.Do("INFO", "memory").([]byte)), "used_memory:")
	line, _, _ := strings.Cut(rest, "\r\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkCluster measures the overhead of a cluster: documents of 30 entries, of which three changed, saved to a cluster in the
// layout of one slot or the sharded layout. The limit is one Redis like its nodes.
func BenchmarkCluster(b *testing.B) {
	b.Run("slot", func(b *testing.B) {
		options, _ := storetest.Place(b)
		saveToCluster(b, options)
	})
	b.Run("sharded", func(b *testing.B) {
		options, _ := storetest.Spread(b)
		saveToCluster(b, options)
	})
}

func saveToCluster(b *testing.B, options store.Options) {
	b.Helper()
	const documents = 20
	saver := func(o store.Options) func() {
		o.FirstSignals = 1000
		s := storetest.New(b, o)
		c, doc := claim(b, s), storetest.Document(harbour, 30)
		save(b, s, c, doc)
		edition := 0
		return func() {
			for range documents {
				edition++
				for i := range 3 {
					doc.Entries[i].Title = strconv.Itoa(edition)
				}
				if saved, err := s.Entries.SaveEntries(b.Context(), c, doc); err != nil || saved.Modified != 3 {
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
