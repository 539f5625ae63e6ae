package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/feedwire/feedwire/store/feed"
)

// defaultFile is read if neither the caller nor the environment names a file. It may be missing.
const defaultFile = "/etc/feedwire/feedwire.yaml"

// Load reads the configuration from the file at path, the environment as in os.Environ, and the flags of a set prepared by
// Flags, which may be nil. If path is empty, it reads the file in FEEDWIRE_CONFIG, or else /etc/feedwire/feedwire.yaml if that
// exists.
//
// The error contains every problem, see Problems.
func Load(path string, env []string, flags *pflag.FlagSet) (*Config, error) {
	l := loader{
		config:    &Config{places: make(map[string]place)},
		variables: variables(env),
		reported:  make(map[string]bool),
	}
	setDefaults(l.config, tables().Options, "")
	if path == "" {
		path = l.variables[configVariable]
	}
	l.readFile(path)
	l.readEnvironment()
	if flags != nil {
		l.readFlags(flags)
	}
	l.deriveDefaults()
	if !l.unread {
		l.check()
	}
	if len(l.problems) > 0 {
		l.problems.sort()
		return nil, l.problems
	}
	return l.config, nil
}

// loader collects one configuration and its problems.
type loader struct {
	config    *Config
	file      string            // path
	variables map[string]string // the environment
	unread    bool              // the file could not be read, and may contain what seems to be missing
	problems  loadError
	reported  map[string]bool // keys with a problem, whose consequences are not reported
}

func (l *loader) problem(at place, key, reason, hint string) {
	l.reported[key] = true
	l.problems = append(l.problems, Problem{at, key, reason, hint})
}

// set parses texts that were found at a place into an option of an object. prefix precedes the key of the option.
func (l *loader) set(object any, o *option, prefix string, at place, texts []string) {
	key := prefix + o.Key
	if o.twin != "" && texts[0] == "" {
		return // no secret
	}
	if _, twice := l.config.places[prefix+o.twin]; twice && o.twin != "" {
		l.problem(at, key, "the secret is given twice, as it is and by a file", "keep one of the two")
		return
	}
	if problem := o.value(object).set(texts); problem != nil {
		l.problem(at, key, problem.Reason, problem.Hint)
		return
	}
	l.config.places[key] = at
}

// readFile reads the file at path. If path is empty, it reads the default file if that exists.
func (l *loader) readFile(path string) {
	name := path
	if path == "" {
		name = defaultFile
	}
	src, err := readBounded(name, maxFile)
	switch {
	case path == "" && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.unread = true
		l.problem(place{File: name}, "", "the file "+unreadable(err).Error(), "name another one with --config or FEEDWIRE_CONFIG")
	default:
		l.file = name
		root := l.parse(src)
		l.unread = len(l.problems) > 0
		l.decodeFile(root)
	}
}

// readBounded reads up to one byte more than the maximum size of a file.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(f, most+1))
}

// deriveDefaults sets empty options whose default depends on another option or the environment.
func (l *loader) deriveDefaults() {
	c := l.config
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	if c.PublicURL == "" {
		c.PublicURL = "http://" + dialable(c.Listen)
	}
	if c.DataDir == "" {
		c.DataDir = l.stateDirectory()
	}
	for i := range c.Sources {
		c.Sources[i].ID = feed.SourceID(c.Sources[i].URL)
	}
}

// stateDirectory returns the state directory of the service (systemd) or of the user.
func (l *loader) stateDirectory() string {
	if dirs := l.variables["STATE_DIRECTORY"]; dirs != "" {
		first, _, _ := strings.Cut(dirs, ":") // systemd separates several with colons
		return first
	}
	if dir := l.variables["XDG_STATE_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "feedwire")
	}
	if home := l.variables["HOME"]; home != "" {
		return filepath.Join(home, ".local", "state", "feedwire")
	}
	l.problem(place{}, "data_dir", "there is no home directory for data", "set data_dir")
	return ""
}

// dialable converts a listen address to one that clients on this machine can use.
func dialable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err == nil && (host == "" || host == "0.0.0.0" || host == "::") {
		return net.JoinHostPort("localhost", port)
	}
	return listen
}

// itemKey and feedKey return the keys of one item of a list and of one feed.
func itemKey(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
func feedKey(typ string) string         { return "feeds." + typ }
