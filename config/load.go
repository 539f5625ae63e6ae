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

// defaultFile is read where neither the caller nor the environment names a file. It need not exist.
const defaultFile = "/etc/feedwire/feedwire.yaml"

// Load reads the configuration: the file at path, the environment as os.Environ gives it, and those flags of a set
// prepared by Flags that were given. An empty path is what FEEDWIRE_CONFIG names, else /etc/feedwire/feedwire.yaml where
// it exists, else no file. Flags may be nil.
//
// The error holds every problem found, see Problems; there is no Config then.
func Load(path string, env []string, flags *pflag.FlagSet) (*Config, error) {
	l := loader{
		config:    &Config{places: make(map[string]place)},
		variables: variables(env),
		reported:  make(map[string]bool),
	}
	setDefaults(l.config, options(), "")
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
	if err := join(l.problems); err != nil {
		return nil, err
	}
	return l.config, nil
}

// loader gathers one configuration and all that is wrong with it.
type loader struct {
	config    *Config
	variables map[string]string // the environment
	unread    bool              // the file could not be read: what seems to be missing may stand there
	problems  []*Problem
	reported  map[string]bool // keys with a problem, so that what follows from it is not reported as well
}

func (l *loader) problem(at place, key, reason, hint string) {
	l.reported[key] = true
	l.problems = append(l.problems, &Problem{
		File: at.name, Line: at.line, Column: at.column, Key: key, Reason: reason, Hint: hint,
	})
}

// set reads texts that were found at a place into an option of t. Prefix is what stands before the option's key.
func set[T any](l *loader, t *T, o option[T], prefix string, at place, texts []string) {
	key := prefix + o.key
	if problem := o.value(t).set(texts); problem != nil {
		l.problem(at, key, problem.Reason, problem.Hint)
		return
	}
	l.config.places[key] = at
}

// readFile reads the file at path, or the default one, if there is one, for an empty path.
func (l *loader) readFile(path string) {
	name := path
	if path == "" {
		name = defaultFile
	}
	src, err := readBounded(name)
	switch {
	case path == "" && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.unread = true
		l.problem(place{name: name}, "", "the file "+unreadable(err).Error(), "name another one with --config or FEEDWIRE_CONFIG")
	default:
		root, problems := parseYAML(name, src)
		l.unread = len(problems) > 0
		l.problems = append(l.problems, problems...)
		l.decodeFile(root)
	}
}

// readBounded reads at most one byte more than a file may have.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// deriveDefaults fills what is empty and has a default that depends on something else.
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

// stateDirectory is where programs keep their state: what systemd made for the service, or the user's own place.
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
	l.problem(place{}, "data_dir", "there is no home directory to keep data in", "set data_dir")
	return ""
}

// dialable is a listening address as a client on this machine writes it.
func dialable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err == nil && (host == "" || host == "0.0.0.0" || host == "::") {
		return net.JoinHostPort("localhost", port)
	}
	return listen
}

// itemKey, sourceKey and feedKey stand for one item of a list, one source and one feed.
func itemKey(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
func sourceKey(i int) string            { return itemKey("sources", i) }
func feedKey(typ string) string         { return "feeds." + typ }
