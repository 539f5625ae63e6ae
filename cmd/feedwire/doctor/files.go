package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/feedwire/feedwire/config"
)

// Bits of the mode of a file by what they allow.
const (
	groupBits  fs.FileMode = 0o070
	otherBits  fs.FileMode = 0o007
	groupEnter fs.FileMode = 0o010
	otherEnter fs.FileMode = 0o001
	groupWrite fs.FileMode = 0o020
	otherWrite fs.FileMode = 0o002
	otherRead  fs.FileMode = 0o004
	anyRead                = 0o040 | otherRead
)

// access is what other users may do with files of the daemon.
type access struct {
	changed  []string // by everyone
	foreign  []string // belong to another user
	exposed  []string // the token, readable by everyone
	readable []string // by a group or everyone, or writable by a group
}

// Files checks owners and permissions of data_dir, its files and the file of the token. A directory that only this user can enter
// protects what is in it.
func Files(cfg *config.Config) (all Findings) {
	var a access
	dir := cfg.DataDir
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		dir = path
	}
	own := filepath.Join(dir, "token")
	allowed := make(map[string]fs.FileMode) // by directory: the bits that count in it
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		info, statErr := os.Lstat(path)
		if err != nil || statErr != nil { // a missing directory is a finding of Host; files come and go
			return nil //nolint:nilerr // see above
		}
		reach, inside := allowed[filepath.Dir(path)]
		if !inside {
			reach = groupBits | otherBits
		}
		if info.IsDir() {
			allowed[path] = reach & enterable(info.Mode())
		}
		a.add(path, info, reach, path == own)
		return nil
	})
	if path := cfg.API.Token.File(); path != "" && !strings.HasPrefix(path, dir+string(filepath.Separator)) {
		if info, err := os.Stat(path); err == nil { // otherwise the configuration was not read
			a.add(path, info, groupBits|otherBits, false)
		}
	}
	return a.findings(dir)
}

// enterable returns the bits that a directory lets through to what it contains.
func enterable(mode fs.FileMode) (bits fs.FileMode) {
	if mode&groupEnter != 0 {
		bits |= groupBits
	}
	if mode&otherEnter != 0 {
		bits |= otherBits
	}
	return bits
}

// add examines a file of which the bits in reach count. token: the daemon created it for itself.
func (a *access) add(path string, info fs.FileInfo, reach fs.FileMode, token bool) {
	if info.Mode()&(fs.ModeSymlink|fs.ModeSocket) != 0 {
		return // their mode means nothing on this system, or they are protected by their directory
	}
	mode := info.Mode().Perm() & reach
	named := fmt.Sprintf("%s (%04o)", path, info.Mode().Perm())
	switch stat, ok := info.Sys().(*syscall.Stat_t); {
	case ok && stat.Uid != 0 && int(stat.Uid) != os.Getuid():
		a.foreign = append(a.foreign, fmt.Sprintf("%s (user %d)", path, stat.Uid))
	case mode&otherWrite != 0:
		a.changed = append(a.changed, named)
	case token && mode&otherRead != 0:
		a.exposed = append(a.exposed, named)
	case mode&(anyRead|groupWrite) != 0, token && info.Mode().Perm()&(groupBits|otherBits) != 0:
		a.readable = append(a.readable, named)
	}
}

// findings judges what was found in data_dir.
func (a *access) findings(dir string) (all Findings) {
	const check = "files"
	private := "run chmod -R go-rwx on " + dir + ", and on a token file elsewhere"
	all.when(a.changed != nil, bad(check, "every user of this machine can change "+someOf(a.changed),
		"other users can replace the data or take over the daemon", private))
	all.when(a.exposed != nil, bad(check, "every user of this machine can read "+someOf(a.exposed),
		"the token gives full access to the API", "replace the token, because it may be known: delete the file; "+private))
	owner := bad(check, "another user owns "+someOf(a.foreign), "that user can change the data and the token",
		fmt.Sprintf("run chown -R %d on %s, or start the daemon as that user", os.Getuid(), dir))
	if os.Getuid() == 0 { // it may be meant to serve the directory of another user, as in a container
		owner.Level = LevelWarn
	}
	all.when(a.foreign != nil, owner)
	all.when(a.readable != nil, warn(check, "other users of this machine can read or change "+someOf(a.readable),
		"the files contain passwords of sources, secrets of subscriptions, or the token", private))
	return all.OrOK(check, "only this user can read and change data_dir and the token")
}

// someOf lists the first of several files.
func someOf(files []string) string {
	const most = 3
	slices.Sort(files)
	if more := len(files) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), more)
	}
	return strings.Join(files, ", ")
}
