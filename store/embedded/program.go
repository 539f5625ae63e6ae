package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// program is an installed server, or the server that wrote the data.
type program struct {
	name    string // "redis-server" or "valkey-server"; empty: none
	version [3]int // major, minor, patch
	path    string // empty if it was read from server-version
}

// oldest is the first version with all commands that the scripts use (XAUTOCLAIM, GETDEL, ZRANGE BYSCORE).
var oldest = program{version: [3]int{6, 2}}

// errNoProgram means that no suitable server is installed.
var errNoProgram = errors.New("no redis-server or valkey-server of version 6.2 or newer is found: " +
	"install the package redis-server (Debian, Ubuntu), redis or valkey (elsewhere)")

// searchPath lists directories of servers: those of PATH, then common ones that PATH may lack.
func searchPath() []string {
	return append(filepath.SplitList(os.Getenv("PATH")), "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
		"/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin")
}

// findProgram chooses the server to run: the binary, if it is not empty, or the first server in the search path that can read the data
// of the last server, redis-server before valkey-server.
func findProgram(ctx context.Context, binary string, search []string, last program) (program, error) {
	candidates := []string{binary}
	if binary == "" {
		candidates = installed(search)
	}
	var why error
	for _, path := range candidates {
		p, err := probe(ctx, path)
		if err == nil {
			err = p.reads(last)
		}
		if err == nil {
			return p, nil
		}
		why = errors.Join(why, err)
	}
	switch {
	case last != program{}:
		return program{}, fmt.Errorf("the data was written by %s: install that or a newer one, "+
			"or move the directory away to start empty: %w", last, cmp.Or(why, errNoProgram))
	case binary != "":
		return program{}, why
	case why != nil:
		return program{}, fmt.Errorf("%w: %w", errNoProgram, why)
	}
	return program{}, errNoProgram
}

// installed lists the executable servers of the search path.
func installed(search []string) []string {
	var paths []string
	for _, name := range []string{"redis-server", "valkey-server"} {
		for _, dir := range search {
			path, err := exec.LookPath(filepath.Join(dir, name))
			if err == nil && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// probe reads name and version from a binary: Valkey is often installed as redis-server, too.
func probe(ctx context.Context, path string) (program, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return program{}, fmt.Errorf("%s --version: %w", path, err)
	}
	p, ok := parseProgram(string(out))
	if !ok {
		return program{}, fmt.Errorf("%s is neither redis-server nor valkey-server: it prints %.80q", path, out)
	}
	p.path = path
	return p, nil
}

// versionLine matches the output of --version ("Redis server v=7.0.15 ...") and the result of String.
var versionLine = regexp.MustCompile(`^(?i:(redis|valkey)[ -]server (?:v=)?)(\d{1,4})\.(\d{1,4})\.(\d{1,4})\b`)

func parseProgram(line string) (p program, ok bool) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return p, false
	}
	p.name = strings.ToLower(m[1]) + "-server"
	for i := range p.version {
		p.version[i], _ = strconv.Atoi(m[2+i]) // one to four digits
	}
	return p, true
}

func (p program) String() string {
	return fmt.Sprintf("%s %d.%d.%d", p.name, p.version[0], p.version[1], p.version[2])
}

// before reports whether p has an older minor version. Patch versions read each other's files.
func (p program) before(q program) bool { return slices.Compare(p.version[:2], q.version[:2]) < 0 }

// reads returns why p cannot run, or cannot read the data of the last server.
func (p program) reads(last program) error {
	switch {
	case p.before(oldest):
		return fmt.Errorf("%s is %s, at least 6.2 is needed", p.path, p)
	case last == program{}:
		return nil
	case p.name != last.name: // their file formats differ after 7.2
		return fmt.Errorf("%s is %s and may not read the data of %s", p.path, p, last)
	case p.before(last):
		return fmt.Errorf("%s is %s, older than the data of %s", p.path, p, last)
	}
	return nil
}

const versionFile = "server-version"

// readVersion returns the server that last ran in a directory; zero for a new directory.
func readVersion(dir string) (program, error) {
	path := filepath.Join(dir, versionFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return program{}, nil
	}
	if err != nil {
		return program{}, err
	}
	p, ok := parseProgram(string(text))
	if !ok {
		return program{}, fmt.Errorf("%s holds %.80q: write the name and version of the server that wrote the data, "+
			`such as "redis-server 7.0.15"`, path, text)
	}
	return p, nil
}

// writeVersion records a server. Call it before the server writes.
func writeVersion(dir string, p program) error {
	path := filepath.Join(dir, versionFile)
	if err := os.WriteFile(path+".new", []byte(p.String()+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
