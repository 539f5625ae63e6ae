package e2e

import (
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// What the account of BenchmarkReaderApps follows.
const (
	appSources = 300
	appEntries = 10_000 // with 3 KB of text each, different ones, all unread
	appNews    = 10     // that arrive before an incremental sync
)

// BenchmarkReaderApps (B7) has apps sync for the first time, and then again after a few entries arrived. It fails if an app misses an entry.
// Processor time is that of the program and its Redis, and of the app.
func BenchmarkReaderApps(b *testing.B) {
	redis := storetest.RedisAOF(b)
	storetest.Commands(b, redis.Dial).Do("CONFIG", "SET", "appendfsync", "no")
	s := storetest.New(b, store.Options{Dial: redis.Dial})
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	check(s.People.AddAccount(b.Context(), feed.Account{Name: "ann", Role: feed.RoleMember, Created: time.Now()}))
	check(s.People.AddToken(b.Context(), feed.Token{
		ID: "app", Name: "app", Scopes: []feed.Scope{feed.ScopeFollows}, Creator: "ann", Created: time.Now(), Sum: feed.HashSecret("secret"),
	}))
	ann, err := s.People.Account(b.Context(), "ann")
	check(err)
	url := func(source int) string { return fmt.Sprintf("http://s%d.example/feed.xml", source) }
	for source := range appSources {
		f := feed.Follow{FeedURL: url(source), Folder: fmt.Sprint("Folder ", source%7)}
		_, err := s.Timelines.Follow(b.Context(), ann.ID, f)
		check(err)
		about := feed.About{Title: fmt.Sprint("Site ", source), Link: fmt.Sprintf("http://s%d.example/", source)}
		_, _, err = s.Sources.AddSource(b.Context(), feed.Source{URL: url(source), About: about, Paused: true})
		check(err)
	}
	entries := 0
	arrive := func(count int) {
		b.Helper()
		for range count {
			e := feed.Entry{
				FeedURL: url(entries % appSources), GUID: strconv.Itoa(entries), Title: fmt.Sprint("Entry ", entries),
				Link: fmt.Sprintf("http://s%d.example/%d", entries%appSources, entries), Content: storetest.Prose(mathrand.New(mathrand.NewPCG(1, uint64(entries))), 3072),
				Timestamp: time.Now().Add(time.Duration(min(0, entries-appEntries)) * time.Minute).Truncate(time.Second),
			}
			check(s.Entries.SaveEntry(b.Context(), &e))
			entries++
		}
	}
	arrive(appEntries)
	storetest.Commands(b, redis.Dial).Do("CONFIG", "SET", "appendfsync", "always")
	p := startProgram(b, redis, "")
	p.rest()
	for _, form := range appForms {
		b.Run(form.name, func(b *testing.B) {
			m := measures{}
			for b.Loop() {
				a := newReaderApp(b, form, p.api.Base, "ann", feed.TokenText("app", "secret"))
				sync := func(name string) {
					own := storetest.ProcessorTime(b)
					used := p.measure(func() { a.sync() })
					m.add(name+"-ms", used.wall.Seconds()*1e3)
					m.add(name+"-cpu-ms", used.cpu.Seconds()*1e3)
					m.add(name+"-app-cpu-ms", (storetest.ProcessorTime(b)-own).Seconds()*1e3)
					a.check(entries, entries, 0)
				}
				sync("full")
				arrive(appNews)
				p.rest()
				sync("incremental")
			}
			m.report(b)
		})
	}
}
