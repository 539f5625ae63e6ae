package ops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/ops"
	"github.com/feedwire/feedwire/store/storetest"
)

// installed is a store that a daemon has checked.
func installed(t *testing.T, opts store.Options) (*store.Store, *storetest.Redigo) {
	t.Helper()
	s := storetest.New(t, opts)
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, storetest.Commands(t, opts.Dial)
}

// backup is a backup of a store.
func backup(t *testing.T, s *store.Store) []byte {
	t.Helper()
	var file bytes.Buffer
	if _, err := s.Ops.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// contents are the replies of DUMP for all keys of a server.
func contents(c *storetest.Redigo) map[string]string {
	all := make(map[string]string)
	for _, name := range c.Strings("KEYS", "*") {
		value, _ := redis.String(c.Do("DUMP", name), nil)
		all[name] = value
	}
	return all
}

func TestBackupIsConsistent(t *testing.T) {
	dial := storetest.Redis(t)
	s, raw := installed(t, store.Options{Dial: dial})
	const pairs = 1500
	for i := range pairs {
		raw.Do("MSET", fmt.Sprintf("left:%d", i), 0, fmt.Sprintf("right:%d", i), 0)
	}
	raw.Do("SET", "short", "lived", "PX", 3_600_000)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			c, err := dial(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			conn := redis.NewConn(c, 20*time.Second, time.Second)
			defer conn.Close()
			step := redis.NewScript(2, "redis.call('INCR', KEYS[1]) redis.call('INCR', KEYS[2])")
			for n := w; ; n += 7 {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := step.Do(conn, fmt.Sprintf("left:%d", n%pairs), fmt.Sprintf("right:%d", n%pairs)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for raw.Int("GET", "left:0") == 0 {
		time.Sleep(time.Millisecond)
	}
	file := backup(t, s)
	close(stop)
	writers.Wait()

	other := storetest.Redis(t)
	fresh, read := storetest.New(t, store.Options{Dial: other}), storetest.Commands(t, other)
	about, err := fresh.Ops.RestoreBackup(t.Context(), bytes.NewReader(file), false)
	if err != nil || about.Keys != 2*pairs+3 { // and schema, installation, short
		t.Fatalf("restored %+v, %v", about, err)
	}
	moved := 0
	for i := range pairs {
		left, right := read.Int("GET", fmt.Sprintf("left:%d", i)), read.Int("GET", fmt.Sprintf("right:%d", i))
		if left != right {
			t.Fatalf("pair %d is %d and %d: the backup is inconsistent", i, left, right)
		}
		moved += left
	}
	if moved == 0 {
		t.Error("no write happened before the backup")
	}
	if left := read.Int("PTTL", "short"); left < 3_000_000 || left > 3_600_000 {
		t.Errorf("a TTL of an hour is %d ms", left)
	}
	if err := fresh.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if read.Int("EXISTS", "closed") != 0 {
		t.Error("the store is still marked as being restored")
	}
}

func TestRestoreRefusesDamagedBackup(t *testing.T) {
	s, raw := installed(t, store.Options{Dial: storetest.Redis(t)})
	raw.Do("SET", "key", "value")
	good := backup(t, s)
	dial := storetest.Redis(t)
	target, read := storetest.New(t, store.Options{Dial: dial}), storetest.Commands(t, dial)
	refused := func(what string, file []byte) {
		t.Helper()
		if _, err := target.Ops.RestoreBackup(t.Context(), bytes.NewReader(file), false); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
		if keys := read.Strings("KEYS", "*"); len(keys) > 0 {
			t.Errorf("%s left %v behind", what, keys)
		}
	}
	for n := range good {
		if n%7 == 0 {
			refused(fmt.Sprintf("%d bytes of it", n), good[:n])
		}
		if n%5 == 0 && n > 40 { // a change in the head may be harmless, but the sum differs
			bad := bytes.Clone(good)
			bad[n] ^= 0x20
			refused(fmt.Sprintf("with byte %d changed", n), bad)
		}
	}
	refused("an empty file", nil)
	refused("another file", []byte(strings.Repeat("<rss/>", 100)))
}

func TestRestoreKeepsExistingKeysUnlessForced(t *testing.T) {
	s, raw := installed(t, store.Options{Dial: storetest.Redis(t), Prefix: "a:"})
	raw.Do("SET", "a:key", "value")
	raw.Do("SET", "b:key", "of another installation")
	file := backup(t, s)

	dial := storetest.Redis(t)
	target, read := installed(t, store.Options{Dial: dial, Prefix: "c[1]:"})
	read.Do("SET", "c[1]:old", "data")
	read.Do("SET", "c1:other", "data")
	before := contents(read)
	if _, err := target.Ops.RestoreBackup(t.Context(), bytes.NewReader(file), false); !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a store with keys: %v", err)
	}
	if after := contents(read); len(after) != len(before) {
		t.Errorf("got %d keys, had %d", len(after), len(before))
	}
	if _, err := target.Ops.RestoreBackup(t.Context(), bytes.NewReader(file), true); err != nil {
		t.Fatal(err)
	}
	after := contents(read)
	if after["c[1]:key"] == "" || after["c1:other"] == "" || after["c[1]:old"] != "" || after["c[1]:b:key"] != "" {
		t.Errorf("with force: %v", read.Strings("KEYS", "*"))
	}
	if err := target.Check(t.Context()); core.ClassOf(err) != core.ClassEmptied {
		t.Errorf("a daemon of the old data continues: %v", err)
	}
}

// interruptedFile is a file whose second reading fails.
type interruptedFile struct {
	*bytes.Reader
	rewound bool
	left    int
}

func (c *interruptedFile) Seek(offset int64, whence int) (int64, error) {
	c.rewound = true
	return c.Reader.Seek(offset, whence)
}

func (c *interruptedFile) Read(p []byte) (int, error) {
	if !c.rewound {
		return c.Reader.Read(p)
	}
	if c.left <= 0 {
		return 0, errors.New("killed")
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func TestInterruptedRestoreContinues(t *testing.T) {
	s, raw := installed(t, store.Options{Dial: storetest.Redis(t)})
	for i := range 2000 {
		raw.Do("HSET", fmt.Sprintf("hash:%d", i), "field", strings.Repeat("x", 50))
	}
	file := backup(t, s)
	want := contents(raw)
	dial := storetest.Redis(t)
	target, read := storetest.New(t, store.Options{Dial: dial}), storetest.Commands(t, dial)
	if _, err := target.Ops.RestoreBackup(t.Context(), &interruptedFile{Reader: bytes.NewReader(file), left: 2 * len(file) / 3}, false); err == nil {
		t.Fatal("an interrupted restore succeeded")
	}
	if n := read.Int("DBSIZE"); n < 500 {
		t.Fatalf("the restore ended too early: %d keys", n)
	}
	daemon := storetest.New(t, store.Options{Dial: dial})
	if err := daemon.Check(t.Context()); !errors.Is(err, feed.ErrUnavailable) || !strings.Contains(err.Error(), "feedwire restore again") {
		t.Errorf("a daemon that starts: %v", err)
	}
	other := storetest.Redis(t)
	second, _ := installed(t, store.Options{Dial: other})
	if _, err := target.Ops.RestoreBackup(t.Context(), bytes.NewReader(backup(t, second)), false); !errors.Is(err, feed.ErrConflict) {
		t.Errorf("another backup: %v", err)
	}
	if _, err := target.Ops.RestoreBackup(t.Context(), bytes.NewReader(file), false); err != nil {
		t.Fatal(err)
	}
	read.Do("DEL", "ready")
	delete(want, "ready")
	got := contents(read)
	for name, value := range want {
		if got[name] != value && name != "ready" {
			t.Errorf("%s differs", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d keys, want %d", len(got), len(want))
	}
	if err := daemon.Check(t.Context()); err != nil {
		t.Errorf("a daemon that waited: %v", err)
	}
}

func TestBackupRefusesStoreInMemory(t *testing.T) {
	s, _ := installed(t, store.Options{Dial: storetest.Memory(t)})
	if _, err := s.Ops.Backup(t.Context(), new(bytes.Buffer)); err == nil {
		t.Error("a store in memory was backed up")
	}
	dial := storetest.Redis(t)
	s, raw := installed(t, store.Options{Dial: dial})
	raw.Do("ACL", "SETUSER", "default", "-client")
	if _, err := s.Ops.Backup(t.Context(), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "CLIENT PAUSE") {
		t.Errorf("without the right to pause: %v", err)
	}
}

func FuzzReadBackup(f *testing.F) {
	s := storetest.New(f, store.Options{Dial: storetest.Redis(f)})
	var good bytes.Buffer
	if err := s.Check(context.Background()); err != nil {
		f.Fatal(err)
	}
	if _, err := s.Ops.Backup(context.Background(), &good); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte("feedwire backup 1\n{}\n\x01\xff\xff\xff\xff\x0f\x00a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		about, err := ops.ReadBackup(bytes.NewReader(data))
		if err != nil && !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("%v", err)
		}
		if err == nil && about.Keys > len(data) {
			t.Errorf("%d keys in %d bytes", about.Keys, len(data))
		}
	})
}
