package storetest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/storetest"
)

// findings collects what a check reports.
type findings struct {
	*testing.T
	all []string
}

func (f *findings) Errorf(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

func TestCheckFindsWhatATakedownLeft(t *testing.T) {
	dial := storetest.Memory(t)
	raw, url := storetest.Commands(t, dial), storetest.Harbour
	raw.Do("HSET", "feeds", "id", url)
	raw.Do("ZADD", url+":takedowns", 1, "g")
	raw.Do("ZADD", "articles", 1, "u")
	raw.Do("ZADD", "inbox", 1, "u")
	raw.Do("HSET", "article:u", "feed_url", url, "guid", "other")
	f := &findings{T: t}
	storetest.Check(f, dial, nil, 4)
	if len(f.all) > 0 {
		t.Fatalf("found %q", f.all)
	}
	raw.Do("HSET", url+":guidmap", "g", "Entry:1")
	raw.Do("ZADD", url+":sort", 5, "Entry:1")
	raw.Do("HSET", "Entry:1", "feed_url", url, "guid", "g", "timestamp", 5)
	raw.Do("HSET", "article:u", "guid", "g")
	raw.Do("EXPIRE", url+":takedowns", 60)
	storetest.Check(f, dial, nil, 4)
	for _, want := range []string{"Entry:1 has the guid", "article u is of an entry", "expire in"} {
		if !strings.Contains(strings.Join(f.all, "\n"), want) {
			t.Errorf("%q is not in %q", want, f.all)
		}
	}
}

func TestCheckFindsPostsThatWereTakenDown(t *testing.T) {
	dial := storetest.Memory(t)
	raw := storetest.Commands(t, dial)
	raw.Do("ZADD", "user.posted:5", 1, "7")
	raw.Do("ZADD", "posts.removed", 1, "8")
	f := &findings{T: t}
	storetest.Check(f, dial, nil, 4)
	if len(f.all) > 0 {
		t.Fatalf("found %q", f.all)
	}
	raw.Do("ZADD", "posts.removed", 1, "7")
	storetest.Check(f, dial, nil, 4)
	if want := "user.posted:5 has post 7"; len(f.all) != 1 || !strings.Contains(f.all[0], want) {
		t.Errorf("found %q", f.all)
	}
}

func TestCheckFindsAccountsWithoutNames(t *testing.T) {
	dial := storetest.Memory(t)
	raw := storetest.Commands(t, dial)
	raw.Do("SET", "username.to.id:ann", 1)
	raw.Do("HSET", "user:1", "id", 1, "username", "ann", "flags", "a")
	raw.Do("SADD", "staff", 1)
	f := &findings{T: t}
	storetest.Check(f, dial, nil, 4)
	if len(f.all) > 0 {
		t.Fatalf("found %q", f.all)
	}
	raw.Do("SET", "username.to.id:bob", 1)
	raw.Do("SADD", "staff", 2)
	storetest.Check(f, dial, nil, 4)
	for _, want := range []string{"the name bob leads", "account 2 of staff"} {
		if !strings.Contains(strings.Join(f.all, "\n"), want) {
			t.Errorf("%q is not in %q", want, f.all)
		}
	}
}

func TestCheckFindsEachDamagedEntryOfALargeSource(t *testing.T) {
	for name, open := range map[string]func(f *findings) *storetest.Redigo{
		"memory": func(f *findings) *storetest.Redigo { return storetest.Commands(f, storetest.Memory(t)) },
		"redis":  func(f *findings) *storetest.Redigo { return storetest.Commands(f, storetest.Redis(t)) },
		"sharded": func(f *findings) *storetest.Redigo {
			return storetest.InShards(f, "news:", storetest.Harbour, storetest.Redis(t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &findings{T: t}
			raw, url := open(f), storetest.Harbour
			raw.Do("HSET", "feeds", "id", url)
			for n := range 250 {
				raw.Do("HSET", url+":guidmap", n, raw.Entry(n))
				raw.Do("ZADD", url+":sort", n, raw.Entry(n))
				raw.Do("HSET", raw.Entry(n), "feed_url", url, "guid", n, "timestamp", n)
			}
			if raw.Check(nil, 4); len(f.all) > 0 {
				t.Fatalf("found %q", f.all)
			}
			raw.Do("HDEL", raw.Entry(249), "guid")
			raw.Do("HSET", raw.Entry(120), "timestamp", 7)
			raw.Check(nil, 4)
			all := strings.Join(f.all, "\n")
			if len(f.all) != 2 || !strings.Contains(all, raw.Entry(249)+" lacks a required field") || !strings.Contains(all, "score 120") {
				t.Errorf("found %q", f.all)
			}
		})
	}
}
