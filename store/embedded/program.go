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

// program is a server that can be run, or of which there is data.
type program struct {
	name                string // "redis-server" or "valkey-server"; empty: none
	major, minor, patch int
	path                string // empty when it was read from server-version
}

// oldest is the first version with all commands that the scripts use (XAUTOCLAIM, GETDEL, ZRANGE BYSCORE).
var oldest = program{major: 6, minor: 2}

// errNoProgram: no server is installed that could run.
var errNoProgram = errors.New("no redis-server or valkey-server of version 6.2 or newer is found: " +
	"install the package redis-server (Debian, Ubuntu), redis or valkey (elsewhere)")

// searchPath lists where servers are installed: PATH first, then what is often missing from it.
func searchPath() []string {
	return append(filepath.SplitList(os.Getenv("PATH")), "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
		"/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin")
}

// findProgram chooses the server to run: the given binary, or the first in the search path that can read the data of
// the last one, redis-server before valkey-server. A server that cannot is an error that names the way out.
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
			path := filepath.Join(dir, name)
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || slices.Contains(paths, path) {
				continue
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// probe asks a binary who it is. The name of the file does not tell: valkey is often installed as redis-server too.
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
		return program{}, fmt.Errorf("%s is neither redis-server nor valkey-server: it says %.80q", path, out)
	}
	p.path = path
	return p, nil
}

// versionLine matches what --version says ("Redis server v=7.0.15 ...") and what String writes.
var versionLine = regexp.MustCompile(`^(?i:(redis|valkey)[ -]server (?:v=)?)(\d{1,4})\.(\d{1,4})\.(\d{1,4})\b`)

func parseProgram(line string) (program, bool) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return program{}, false
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // one to four digits
	return program{
		name:  strings.ToLower(m[1]) + "-server",
		major: number(m[2]), minor: number(m[3]), patch: number(m[4]),
	}, true
}

func (p program) String() string {
	return fmt.Sprintf("%s %d.%d.%d", p.name, p.major, p.minor, p.patch)
}

// before reports whether p is of an older release line. Patch versions read each other's files.
func (p program) before(q program) bool {
	return p.major < q.major || p.major == q.major && p.minor < q.minor
}

// reads reports why p cannot run, or cannot run on the data that the last server left.
func (p program) reads(last program) error {
	switch {
	case p.before(oldest):
		return fmt.Errorf("%s is %s, at least 6.2 is needed", p.path, p)
	case last == program{}:
		return nil
	case p.name != last.name: // their file formats part ways after 7.2
		return fmt.Errorf("%s is %s and may not read the data of %s", p.path, p, last)
	case p.before(last):
		return fmt.Errorf("%s is %s, older than the data of %s", p.path, p, last)
	}
	return nil
}

const versionFile = "server-version"

// readVersion is the server that last ran on the directory; zero for a new one.
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
		return program{}, fmt.Errorf("%s holds %.80q: write the name and version of the server that its data is of, "+
			`such as "redis-server 7.0.15"`, path, text)
	}
	return p, nil
}

// writeVersion records the server before it writes its first byte.
func writeVersion(dir string, p program) error {
	path := filepath.Join(dir, versionFile)
	if err := os.WriteFile(path+".new", []byte(p.String()+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
