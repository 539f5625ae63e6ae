package ops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// listedKey is a line of a key list.
type listedKey struct {
	name, typ string
	expires   bool
}

// listedKeys reads the key lists of all packages.
func listedKeys(tb storetest.TB) (all []listedKey) {
	tb.Helper()
	paths, err := filepath.Glob("../*/*.go")
	if err != nil {
		tb.Fatal(err)
	}
	first := regexp.MustCompile(`^//\t(\S+)\s+(integer|string|hash|list|set|zset|stream)\s`)
	for _, path := range append(paths, "../doc.go") {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if m := first.FindStringSubmatch(line); m != nil {
				all = append(all, listedKey{name: m[1], typ: m[2]})
			} else if !strings.HasPrefix(line, "//\t ") {
				continue
			}
			if strings.Contains(line, "TTL") {
				all[len(all)-1].expires = true
			}
		}
	}
	return all
}

// A key without a family would not be copied into the other layout.
func TestEveryDocumentedKeyHasAFamily(t *testing.T) {
	listed := make(map[string]bool)
	for _, k := range listedKeys(t) {
		listed[k.name] = true
	}
	if len(listed) < 60 {
		t.Fatalf("the documentation lists %d keys", len(listed))
	}
	s, err := store.New(store.Options{URL: "redis://127.0.0.1"}) // does not connect
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range s.Ops.KeyPatterns() {
		if !listed[name] {
			t.Errorf("%s is not documented, or is in two families", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("%s is documented and has no family", name)
	}
}

// whatever fills a store with keys of each kind, whose values mean nothing beyond what says where they belong.
type whatever struct {
	*rand.Rand
	raw  *storetest.Redigo
	urls []string
}

func (w *whatever) text() string { return fmt.Sprintf("%*d", w.IntN(90), w.IntN(1e6)) }

func (w *whatever) url() string { return w.urls[w.IntN(len(w.urls))] }

// name puts something into the places that a name leaves open.
func (w *whatever) name(listed string) string {
	return regexp.MustCompile(`<\w+>`).ReplaceAllStringFunc(listed, func(open string) string {
		switch open {
		case "<feed_url>":
			return w.url()
		case "<n>", "<user>":
			return strconv.Itoa(1 + w.IntN(9000))
		case "<host>":
			return feed.Host(w.url())
		}
		return strconv.Itoa(w.IntN(50)) + "{x}"
	})
}

// fill makes up to three keys of a family.
func (w *whatever) fill(k listedKey) {
	for range 1 + w.IntN(3) {
		key := w.name(k.name)
		if w.raw.Int("EXISTS", key) == 1 {
			continue
		}
		rows := 1 + w.IntN(9)
		if w.IntN(10) == 0 {
			rows = 700 // more than are written at once
		}
		w.put(k, key, rows)
		if k.expires {
			w.raw.Do("PEXPIRE", key, 3_600_000+w.IntN(1_000_000))
		}
	}
}

func (w *whatever) put(k listedKey, key string, rows int) {
	switch {
	case k.name == "ids:Entry":
		w.raw.Do("SET", key, w.IntN(9200)) // at times entries have higher ones
	case k.typ == "integer", k.typ == "string":
		w.raw.Do("SET", key, w.IntN(1000))
	case k.name == "sched:lease":
		for _, url := range w.urls {
			w.raw.Do("HSET", key, url, w.text())
		}
	case k.name == "feeds", k.name == "push:tokens":
		for _, url := range w.urls {
			w.raw.Do("HSET", key, feed.SourceID(url), url)
		}
	case strings.HasPrefix(k.name, "activity:"):
		for _, field := range []string{"polls", "failed", "created", "published"}[w.IntN(4):] {
			w.raw.Do("HSET", key, field, w.IntN(100))
		}
	case k.typ == "hash":
		w.rows("HSET", key, rows, func() []any { return []any{w.text(), w.text()} })
		if k.name == "Entry:<n>" || k.name == "push:leaving:<token>" {
			w.raw.Do("HSET", key, "feed_url", w.url())
		}
	case k.name == "push:due", strings.HasPrefix(k.name, "sched:"):
		for _, url := range w.urls {
			member := url
			if k.name == "push:due" && w.IntN(2) == 0 {
				member = feed.SourceID(url) // the token, see above; of some of them the callback is gone
			}
			w.raw.Do("ZADD", key, fmt.Sprintf("%d.%03d", 1e9+w.IntN(1e9), w.IntN(1000)), member)
		}
	case k.typ == "zset":
		w.rows("ZADD", key, rows, func() []any { return []any{w.Float64() * 1e9, w.text()} })
	case k.typ == "list":
		w.rows("RPUSH", key, rows, func() []any { return []any{w.text()} })
	case k.typ == "set":
		w.rows("SADD", key, rows, func() []any { return []any{w.text()} })
	case k.typ == "stream":
		for range min(rows, 50) {
			w.raw.Do("XADD", key, "*", "field", w.text())
		}
		w.raw.Do("XGROUP", "CREATE", key, "desk", "0")
		w.raw.Do("XREADGROUP", "GROUP", "desk", "gone", "COUNT", 1, "STREAMS", key, ">")
		w.raw.Do("XGROUP", "DELCONSUMER", key, "desk", "gone")
		w.raw.Do("XTRIM", key, "MAXLEN", w.IntN(rows+1))
	}
}

// rows sends a command with so many rows.
func (w *whatever) rows(command, key string, n int, row func() []any) {
	args := []any{key}
	for range n {
		args = append(args, row()...)
	}
	w.raw.Do(command, args...)
}

// dump is what a key holds, in one order, and how long it lives.
type dump struct {
	text string
	left int // ms
}

// dumps are the keys of a server.
func dumps(raw *storetest.Redigo) map[string]dump {
	all := make(map[string]dump)
	for _, key := range raw.Strings("KEYS", "*") {
		d := dump{left: raw.Int("PTTL", key)}
		switch typ := raw.Do("TYPE", key).(string); typ {
		case "hash":
			d.text = fmt.Sprintf("%s %q", typ, slices.Sorted(maps.Keys(pairs(raw.StringMap("HGETALL", key)))))
		case "set":
			d.text = fmt.Sprintf("%s %q", typ, slices.Sorted(slices.Values(raw.Strings("SMEMBERS", key))))
		default: // of the others the server's own form has one order
			text, _ := redis.String(raw.Do("DUMP", key), nil)
			d.text = typ + " " + text
		}
		all[key] = d
	}
	return all
}

func pairs(m map[string]string) map[string]bool {
	all := make(map[string]bool)
	for k, v := range m {
		all[k+" "+v] = true
	}
	return all
}

// From the seeds' layout into the partitioned one and back, everything is what it was: values, TTL, and the groups of streams. An
// id of an entry is never given out twice.
func TestCopyIntoPartsAndBack(t *testing.T) {
	t.Parallel()
	servers := [3]*storetest.Redigo{}
	var dials [3]store.DialFunc
	for i := range servers {
		dials[i] = storetest.Redis(t)
		servers[i] = storetest.Commands(t, dials[i])
	}
	listed := listedKeys(t)
	sharded := regexp.MustCompile(`^[pq]:\{(desk|hub|[pu][0-6]\d)\}`)
	const rounds = 4
	for range rounds {
		for _, raw := range servers {
			raw.Do("FLUSHALL")
		}
		seed := rand.Uint64()
		w := &whatever{rand.New(rand.NewPCG(seed, 0)), servers[0], nil}
		for i := range 1 + w.IntN(30) {
			w.urls = append(w.urls, fmt.Sprintf("https://h%d.example/%d{a}/feed.xml", w.IntN(9), i))
		}
		for _, k := range listed {
			if k.name != "closed" && k.name != "signals:gathered" {
				w.fill(k)
			}
		}
		before := dumps(servers[0])
		from := storetest.New(t, store.Options{Dial: dials[0]})
		parted := storetest.New(t, store.Options{Dial: dials[1], Prefix: "p:", Sharded: true})
		back := storetest.New(t, store.Options{Dial: dials[2]})
		moved := storetest.New(t, store.Options{Dial: dials[1], Prefix: "q:", Sharded: true})
		for _, leg := range [][2]*store.Store{{from, parted}, {parted, moved}, {moved, back}} {
			m, err := leg[0].CopyTo(t.Context(), leg[1], false, func(int, int) {})
			if err != nil || m.Copied != m.Keys || m.Same != m.Keys {
				t.Fatalf("seed %d: copied %+v, %v", seed, m, err)
			}
		}
		for token, url := range servers[0].StringMap("HGETALL", "push:tokens") { // what is due is with its source, by URL or by token
			home := storetest.InShards(t, "p:", url, dials[1])
			for _, member := range []string{token, url} {
				if was, is := servers[0].Do("ZSCORE", "push:due", member), home.Do("ZSCORE", "push:due", member); fmt.Sprint(was) != fmt.Sprint(is) {
					t.Errorf("seed %d: %s of %s is due at %s, and was at %s", seed, member, url, is, was)
				}
			}
		}
		for key := range dumps(servers[1]) {
			if !sharded.MatchString(key) {
				t.Errorf("seed %d: the partitioned store has the key %s", seed, key)
			}
		}
		if was, is := checkNumbers(t, servers[1], servers[0]), servers[2].Int("GET", "ids:Entry"); is < was || is > was+64 {
			t.Errorf("seed %d: the last id was %d and is %d", seed, was, is)
		}
		after := dumps(servers[2])
		delete(before, "ids:Entry")
		delete(after, "ids:Entry")
		wantSame(t, seed, before, after)
	}
}

// wantSame fails the test unless the keys of two servers hold the same for the same time.
func wantSame(t *testing.T, seed uint64, before, after map[string]dump) {
	t.Helper()
	for key, was := range before {
		is, there := after[key]
		if !there || is.text != was.text || (is.left < 0) != (was.left < 0) || is.left > was.left || is.left < was.left-60_000 {
			t.Errorf("seed %d: %s was\n%q with %d ms and is\n%q with %d ms", seed, key, was.text, was.left, is.text, is.left)
		}
		delete(after, key)
	}
	for key := range after {
		t.Errorf("seed %d: %s is new", seed, key)
	}
}

// A backup has every key of the list, with its TTL.
func TestBackupHasEveryDocumentedKey(t *testing.T) {
	t.Parallel()
	s, raw := installed(t, store.Options{Dial: storetest.Redis(t)})
	seed := rand.Uint64()
	w := &whatever{rand.New(rand.NewPCG(seed, 0)), raw, []string{harbour, "https://other.example/feed.xml"}}
	for _, k := range listedKeys(t) {
		if !slices.Contains([]string{"closed", "installation", "ready", "schema"}, k.name) { // those of Check
			w.fill(k)
		}
	}
	before := dumps(raw)
	other := storetest.Redis(t)
	if _, err := storetest.New(t, store.Options{Dial: other}).Ops.RestoreBackup(t.Context(), bytes.NewReader(backup(t, s)), false); err != nil {
		t.Fatal(err)
	}
	after := dumps(storetest.Commands(t, other))
	delete(before, "ready")
	wantSame(t, seed, before, after)
}

// checkNumbers makes sure that each part gives out ids next that are higher than all that there were.
// It returns the highest of those.
func checkNumbers(t *testing.T, parts, before *storetest.Redigo) (last int) {
	t.Helper()
	last = before.Int("GET", "ids:Entry")
	for _, key := range before.Keys("Entry:*") {
		n, _ := strconv.Atoi(strings.TrimPrefix(key, "Entry:"))
		last = max(last, n)
	}
	for part := range 64 {
		if next := 64*(parts.Int("GET", fmt.Sprintf("p:{p%02d}ids:Entry", part))+1) + part; next <= last || next > last+2*64 {
			t.Errorf("part %d gives out %d next, and there were ids up to %d", part, next, last)
		}
	}
	return last
}

func TestCopyIntoPartsFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	dial := storetest.Redis(t)
	s, raw := filled(t, dial), storetest.Commands(t, dial)
	into := func() (*store.Store, *storetest.Redigo) {
		there := storetest.Redis(t)
		return storetest.New(t, store.Options{Dial: there, Sharded: true}), storetest.Commands(t, there)
	}
	refused := func(to *store.Store, why string) {
		t.Helper()
		if _, err := s.CopyTo(t.Context(), to, false, func(int, int) {}); !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %q", err, why)
		}
	}
	raw.Do("SET", "precious", 1)
	to, there := into()
	refused(to, "precious")
	if keys := there.Keys("*"); len(keys) > 0 {
		t.Errorf("what it does not know was found when it had written %v", keys)
	}
	if _, err := s.CopyTo(t.Context(), to, true, nil); err == nil || !strings.Contains(err.Error(), "precious") {
		t.Errorf("the dry run: %v", err)
	}
	raw.Do("DEL", "precious")

	// A run before this one had copied what is no more here.
	for _, stray := range []string{"{desk}article:x", "{p07}sched:due", "{p07}" + harbour + ":sort", "{p07}signals"} {
		to, there := into()
		there.Do("SET", "{desk}closed", fmt.Sprintf("copy %s", raw.Do("GET", "installation")))
		there.Do("ZADD", stray, 1, "x")
		refused(to, stray)
	}

	to, there = into()
	spoil := func(done, total int) { // when all is copied, and nothing is compared yet
		if done == total/2 {
			there.Do("ZADD", there.Keys("*sched:due")[0], 1, "http://other.example/")
			there.Do("HSET", "{desk}article:x", "title", "other")
		}
	}
	raw.Do("HSET", "article:x", "title", "right")
	if m, err := s.CopyTo(t.Context(), to, false, spoil); err != nil || m.Same != m.Keys {
		t.Fatalf("copied %+v, %v", m, err)
	}
	if n := there.Int("ZCARD", there.Keys("*sched:due")[0]); n != 1 || string(there.Do("HGET", "{desk}article:x", "title").([]byte)) != "right" {
		t.Errorf("what was spoilt before it was compared is left so; %d sources are due", n)
	}
	back := storetest.New(t, store.Options{Dial: storetest.Redis(t)})
	for _, stray := range []string{"{p01}Entry:1", "{p02}article:x", "{hub}article:x"} {
		there.Do("HSET", stray, "feed_url", "http://other.example/")
		if _, err := to.CopyTo(t.Context(), back, true, nil); !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), stray) {
			t.Errorf("with %s: %v", stray, err)
		}
		there.Do("DEL", stray)
	}
	there.Do("HSET", "{p01}feeds", feed.SourceID(harbour), harbour)
	if _, err := to.CopyTo(t.Context(), back, false, func(int, int) {}); !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), "another place") {
		t.Errorf("with a source in two parts: %v", err)
	}
}

// Signals that a killed daemon has left in the outbox of a part come along, each once.
func TestCopyOutOfPartsGathersSignals(t *testing.T) {
	t.Parallel()
	dial, other := storetest.Redis(t), storetest.Redis(t)
	s := storetest.New(t, store.Options{Dial: dial, Sharded: true})
	if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); err != nil {
		t.Fatal(err)
	}
	raw, there := storetest.Commands(t, dial), storetest.Commands(t, other)
	outbox := raw.Keys("{p*signals")[0]
	for i := range 3 {
		raw.Do("XADD", outbox, "*", "kind", "post_created", "feed_url", harbour, "time", "1", "guid", i, "entry", "Entry:1")
	}
	to := storetest.New(t, store.Options{Dial: other})
	if m, err := s.CopyTo(t.Context(), to, true, nil); err != nil || raw.Int("XLEN", "{hub}signals") != 1 {
		t.Fatalf("the dry run: %+v, %v; %d are gathered", m, err, raw.Int("XLEN", "{hub}signals"))
	}
	late := sync.OnceFunc(func() {
		raw.Do("XADD", outbox, "*", "kind", "post_created", "feed_url", harbour, "time", "1", "guid", "late", "entry", "Entry:1")
	})
	if _, err := s.CopyTo(t.Context(), to, false, func(int, int) { late() }); !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), "not merged") {
		t.Errorf("with one that came meanwhile: %v", err)
	}
	if m, err := s.CopyTo(t.Context(), to, false, func(int, int) {}); err != nil || m.Same != m.Keys {
		t.Fatalf("copied %+v, %v", m, err)
	}
	got, err := to.Signals.Signals(t.Context(), "", 10, 0)
	if err != nil || len(got) != 5 || got[0].Kind != feed.FeedCreated || got[1].GUID != "0" || got[4].GUID != "late" {
		t.Errorf("the signals are %v, %v", got, err)
	}
	if left := there.Keys("*{*"); len(left) > 0 {
		t.Errorf("the copy has %v", left)
	}
}

// What parts have each for itself is one in the seeds' layout.
func TestCopyOutOfPartsJoinsThem(t *testing.T) {
	t.Parallel()
	dial, other := storetest.Redis(t), storetest.Redis(t)
	raw, there := storetest.Commands(t, dial), storetest.Commands(t, other)
	raw.Do("HSET", "{p00}host:a.example", "next", 5, "tail", 6)
	raw.Do("PEXPIRE", "{p00}host:a.example", 500_000)
	raw.Do("HSET", "{p01}host:a.example", "next", 9)
	raw.Do("PEXPIRE", "{p01}host:a.example", 900_000)
	raw.Do("HSET", "{p02}host:a.example", "next", 7)
	raw.Do("PEXPIRE", "{p02}host:a.example", 700_000)
	for i, place := range []string{"{desk}", "{p03}", "{p63}"} {
		raw.Do("HSET", place+"activity:29920000", "signals", i+1, "published", 10*i)
		raw.Do("PEXPIRE", place+"activity:29920000", 500_000+i)
	}
	raw.Do("SET", "{p07}ids:Entry", 10)
	raw.Do("SET", "{p09}ids:Entry", 9)
	from := storetest.New(t, store.Options{Dial: dial, Sharded: true})
	m, err := from.CopyTo(t.Context(), storetest.New(t, store.Options{Dial: other}), false, func(int, int) {})
	if err != nil || m.Keys != 8 || m.Same != 8 {
		t.Fatalf("copied %+v, %v", m, err)
	}
	if got, want := there.StringMap("HGETALL", "host:a.example"), map[string]string{"next": "9"}; !maps.Equal(got, want) || there.Int("PTTL", "host:a.example") < 800_000 {
		t.Errorf("the host is %v", got)
	}
	if got, want := there.StringMap("HGETALL", "activity:29920000"), map[string]string{"signals": "6", "published": "30"}; !maps.Equal(got, want) {
		t.Errorf("the minute is %v", got)
	}
	if n := there.Int("GET", "ids:Entry"); n != 64*10+7 {
		t.Errorf("the last id is %d", n)
	}
}

// A copy into another layout is cut off at each of its steps, one after the other, and is in the end what one run makes.
func TestCopyIntoPartsGoesOnAfterInterruptions(t *testing.T) {
	t.Parallel()
	dial := storetest.Redis(t)
	s := filled(t, dial)
	there, whole := storetest.Redis(t), storetest.Redis(t)
	to := storetest.New(t, store.Options{Dial: there, Sharded: true})
	raw := storetest.Commands(t, there)
	cut := 0
	for done := false; !done; {
		cut++
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		_, err := s.CopyTo(ctx, to, false, func(int, int) {
			if steps++; steps == cut {
				cancel()
			}
		})
		cancel()
		if done = err == nil; done {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off at step %d: %v", cut, err)
		}
		if err := to.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "incomplete copy") {
			t.Errorf("cut off at step %d, it is taken: %v", cut, err)
		}
		for _, key := range raw.Keys("*sched:due") { // as if it was killed between two commands
			raw.Do("ZREMRANGEBYRANK", key, 0, 0)
		}
		storetest.Commands(t, dial).Do("HINCRBY", "Entry:1", "edits", 1)
	}
	if cut < 6 {
		t.Errorf("it was cut off %d times", cut-1)
	}
	once := storetest.New(t, store.Options{Dial: whole, Sharded: true})
	if _, err := s.CopyTo(t.Context(), once, false, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	got, want := dumps(raw), dumps(storetest.Commands(t, whole))
	for _, all := range []map[string]dump{got, want} {
		delete(all, "{desk}ready") // which checks have made
	}
	if texts(got) != texts(want) {
		t.Errorf("it holds\n%s, a copy by one run\n%s", texts(got), texts(want))
	}
	if err := to.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// texts is what keys hold, in one text.
func texts(all map[string]dump) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %q\n", key, all[key].text)
	}
	return b.String()
}
