package daemon

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/embedded"
)

func TestDataThatOthersCanChangeIsRefused(t *testing.T) {
	cfg := wiretest.Config(t, "")
	if err := os.Mkdir(cfg.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(cfg.DataDir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := newApp(t.Context(), cfg, slog.New(slog.DiscardHandler))
	for _, want := range []string{cfg.DataDir + " (0777)", "chmod -R go-rwx"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestFilesOfTheDaemonArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	setup.PrivateFiles()
	s := embedded.New(filepath.Join(dir, "redis"), embedded.Options{Mode: embedded.ModeChild})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cfg := wiretest.Config(t, "")
	cfg.DataDir = dir
	if _, err := setup.Token(cfg, true); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		files++
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("got %d files, %v", files, err)
	}
}
