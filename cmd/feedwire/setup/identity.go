package setup

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/strength"
)

// Token returns the configured token of the API, or the generated one in the data directory. create is for the daemon: it generates
// a missing token, and refuses one that is easy to guess, because a person may have written the file.
func Token(cfg *config.Config, create bool) (string, error) {
	if t := cfg.API.Token.Reveal(); t != "" {
		return t, nil
	}
	path := filepath.Join(cfg.DataDir, "token")
	t, err := storedWord(path, create)
	if reason := strength.WeakToken(t); err == nil && create && reason != "" {
		return "", fmt.Errorf("the token in %s is too weak: %s; remove the file to have a new one created, or %s", path, reason, strength.StrongToken)
	}
	return t, err
}

// DaemonID returns an id that distinguishes this daemon from others on the same store. It survives restarts.
func DaemonID(cfg *config.Config) string {
	name, err := storedWord(filepath.Join(cfg.DataDir, "id"), true)
	if err != nil {
		return "" // other daemons then take over its leases and signals after their time
	}
	return name
}

// storedWord returns the random word in a file. create generates a missing file.
func storedWord(path string, create bool) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(text)) != "" {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if !create {
		return "", fmt.Errorf("no token in %s: start the daemon first, or set api.token or data_dir to the values of the daemon", path)
	}
	word := rand.Text()
	return word, os.WriteFile(path, []byte(word+"\n"), 0o600)
}

// UserAgent returns the User-Agent of requests: program, version and contact.
func UserAgent(cfg *config.Config) string {
	if cfg.Fetch.UserAgent != "" {
		return cfg.Fetch.UserAgent
	}
	contact := cmp.Or(cfg.Fetch.Contact, "https://github.com/feedwire/feedwire")
	return fmt.Sprintf("feedwire/%s (+%s)", strings.Trim(ThisBuild().Version, "()"), contact)
}

// Set by the linker, see the Makefile. Otherwise the information of the go command is used.
var (
	version  = "" // "v1.2.0"
	revision = "" // the commit it was built from
	date     = "" // of the commit, RFC 3339, so that builds are reproducible
)

// Build identifies a build of the program.
type Build struct {
	Version  string `json:"version"`  // "(devel)" if unknown
	Revision string `json:"revision"` // empty if unknown; ends in "-dirty" if there were uncommitted changes
	Date     string `json:"date"`     // empty if unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild returns the build of this process.
func ThisBuild() Build {
	b := Build{version, revision, date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		settings := make(map[string]string, len(info.Settings))
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if b.Revision == "" && settings["vcs.modified"] == "true" {
			settings["vcs.revision"] += "-dirty"
		}
		b.Revision = cmp.Or(b.Revision, settings["vcs.revision"])
		b.Date = cmp.Or(b.Date, settings["vcs.time"])
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}
