package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/config"
)

// chmod makes a file or directory with a mode, whatever the umask is.
func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil && mode.IsDir() {
		err = os.MkdirAll(path, 0o700)
	} else if err == nil {
		err = os.WriteFile(path, []byte("7f3a9c51d2e84b60a1c7\n"), 0o600)
	}
	if err == nil {
		err = os.Chmod(path, mode.Perm())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatOthersCanUseAreFound(t *testing.T) {
	for name, tt := range map[string]struct {
		modes map[string]fs.FileMode // of files in data_dir; "" is data_dir
		level string
		want  string // in the finding
	}{
		"private":                                   {map[string]fs.FileMode{"": fs.ModeDir | 0o700, "token": 0o600, "redis/log": 0o644}, LevelOK, "only this user"},
		"everyone may write data_dir":               {map[string]fs.FileMode{"": fs.ModeDir | 0o777}, LevelBad, "data (0777)"},
		"everyone may write a file":                 {map[string]fs.FileMode{"": fs.ModeDir | 0o711, "journal": 0o606}, LevelBad, "journal (0606)"},
		"everyone may write a file in a closed one": {map[string]fs.FileMode{"": fs.ModeDir | 0o700, "journal": 0o666}, LevelOK, "only this user"},
		"everyone may read the token":               {map[string]fs.FileMode{"": fs.ModeDir | 0o711, "token": 0o604}, LevelBad, "token (0604)"},
		"the token is open in a closed one":         {map[string]fs.FileMode{"": fs.ModeDir | 0o700, "token": 0o644}, LevelWarn, "token (0644)"},
		"a group may read":                          {map[string]fs.FileMode{"": fs.ModeDir | 0o710, "redis/log": 0o640, "redis": fs.ModeDir | 0o710}, LevelWarn, "log (0640)"},
		"a group may write":                         {map[string]fs.FileMode{"": fs.ModeDir | 0o730}, LevelWarn, "data (0730)"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := &config.Config{DataDir: filepath.Join(t.TempDir(), "data")}
			for _, path := range []string{"token", "journal", "redis/log", "redis", ""} { // directories last
				if mode, ok := tt.modes[path]; ok {
					chmod(t, filepath.Join(cfg.DataDir, path), mode)
				}
			}
			found := Files(cfg)
			if len(found) != 1 || found[0].Level != tt.level || !strings.Contains(found[0].What, tt.want) {
				t.Errorf("got %+v, want %s with %q", found, tt.level, tt.want)
			}
		})
	}
}

func TestTokenFileElsewhereIsExamined(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api-token")
	chmod(t, path, 0o644)
	cfg := wiretest.Config(t, "api: {token_file: "+path+"}\n")
	if found := Files(cfg); len(found) != 1 || found[0].Level != LevelWarn || !strings.Contains(found[0].What, "api-token (0644)") {
		t.Errorf("got %+v", found)
	}
}
