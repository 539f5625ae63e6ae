package embedded_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/feedwire/feedwire/store/embedded"
)

const (
	manifestFile = "appendonlydir/appendonly.aof.manifest"
	baseFile     = "appendonlydir/appendonly.aof.1.base.rdb"
	incrFile     = "appendonlydir/appendonly.aof.1.incr.aof"
)

// used returns a directory in which a server has kept data, and was killed with its daemon.
func used(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "redis")
	s := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "SET harbour quiet", "+OK")
	if err := s.Remember(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(childPID(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = s.Close() // it was killed
	return dir
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// contents are the files of a directory with their sizes.
func contents(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	all := make(map[string]int64)
	paths, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = info.Size()
	}
	return all
}

func TestLostDataIsNotReplaced(t *testing.T) {
	for name, tt := range map[string]struct {
		lose func(t *testing.T, dir string)
		want string // in the error
	}{
		"manifest": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, manifestFile)) }, manifestFile + " is missing"},
		"manifest without a record": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, manifestFile))
			remove(t, dir+".record")
		}, manifestFile + " is missing"},
		"empty manifest": {func(t *testing.T, dir string) { truncate(t, filepath.Join(dir, manifestFile), 0) }, manifestFile + " lists no file"},
		"base file":      {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, baseFile)) }, baseFile + " is missing"},
		"incr file":      {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, incrFile)) }, incrFile + " is missing"},
		"empty log":      {func(t *testing.T, dir string) { truncate(t, filepath.Join(dir, incrFile), 0) }, incrFile + " is empty"},
		"log cut before its first write": {func(t *testing.T, dir string) {
			truncate(t, filepath.Join(dir, incrFile), 10)
		}, "finds no data"},
		"all logs":      {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "appendonlydir")) }, manifestFile + " is missing"},
		"the directory": {func(t *testing.T, dir string) { remove(t, dir) }, manifestFile + " is missing"},
		"a damaged record": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, manifestFile))
			truncate(t, dir+".record", 0)
		}, manifestFile + " is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := used(t)
			tt.lose(t, dir)
			before := contents(t, dir)
			for round := range 2 { // the first refusal loses nothing
				err := embedded.New(dir, embedded.Options{}).Start(t.Context())
				if !errors.Is(err, embedded.ErrLost) {
					t.Fatalf("got %v, want ErrLost", err)
				}
				if round == 1 {
					tt.want = "" // the server itself has cut an incomplete write off
				}
				for _, want := range []string{tt.want, "feedwire reset", "feedwire restore", dir} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("got %v, want %q in it", err, want)
					}
				}
			}
			for path, size := range before {
				if now := contents(t, dir)[path]; now != size && size != 10 {
					t.Errorf("%s has %d bytes after the refusal, had %d", path, now, size)
				}
			}
		})
	}
}

func TestLossIsRefusedWithoutAServer(t *testing.T) {
	dir := used(t)
	remove(t, dir)
	s := embedded.New(dir, embedded.Options{})
	s.SearchIn(t.TempDir())
	if err := s.Start(t.Context()); err == nil {
		t.Errorf("got %s, want an error: an empty store in memory replaces the data", s.Kind())
		_ = s.Close()
	}
}

// Nothing is lost: the server continues.
func TestIntactDataStarts(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"nothing happened":                   func(*testing.T, string) {},
		"the record is missing":              func(t *testing.T, dir string) { remove(t, dir+".record") },
		"a file that no list names is there": func(t *testing.T, dir string) { chmodded(t, filepath.Join(dir, "appendonlydir/temp.aof")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := used(t)
			change(t, dir)
			s := start(t, dir)
			expect(t, s, "GET harbour", "quiet")
			expect(t, s, "BGREWRITEAOF", "+Background append only file rewriting started")
			eventually(t, "the log is rewritten", func() bool {
				_, err := os.Stat(filepath.Join(dir, "appendonlydir/appendonly.aof.2.base.rdb"))
				return err == nil
			})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			expect(t, start(t, dir), "GET harbour", "quiet") // with an empty log after the base file
		})
	}
}

func chmodded(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A first start that was interrupted leaves a base file without a list.
func TestInterruptedFirstStartIsNoLoss(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "redis")
	s := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	remove(t, filepath.Join(dir, manifestFile))
	expect(t, start(t, dir), "SET harbour quiet", "+OK")
}

func TestSetAsideKeepsTheRest(t *testing.T) {
	dir := used(t)
	remove(t, filepath.Join(dir, manifestFile))
	aside, err := embedded.SetAside(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(aside, incrFile), aside + ".record"} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("it is not moved: %v", err)
		}
	}
	expect(t, start(t, dir), "GET harbour", "$-1")
	if again, err := embedded.SetAside(t.Context(), dir, slog.New(slog.DiscardHandler)); err == nil {
		t.Errorf("moved the directory of a running server to %s", again)
	}
	if aside, err := embedded.SetAside(t.Context(), filepath.Join(t.TempDir(), "none"), slog.New(slog.DiscardHandler)); aside != "" || err != nil {
		t.Errorf("got %q, %v without a directory", aside, err)
	}
}
