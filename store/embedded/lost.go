package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrLost means that files of the data are missing or empty. The server would begin with an empty store, and its first writes would
// make the loss final.
var ErrLost = errors.New("data is lost")

// lostError describes a loss and the ways out.
func lostError(dir string, was *record, what ...string) error {
	held := ""
	if was != nil && was.Keys > 0 {
		held = fmt.Sprintf("; it held %d keys on %s", was.Keys, was.Seen.Format("2 Jan 2006 15:04:05 MST"))
	}
	return fmt.Errorf("%w: %s%s. The store does not start, so that nothing more is lost in %s. Put the files back from a copy of the directory. "+
		"Or run feedwire reset, which moves the rest aside; then run feedwire restore with a backup, "+
		"or start the daemon with an empty store. If you have put an older copy back on purpose, delete %s",
		ErrLost, strings.Join(what, "; "), held, dir, recordPath(dir))
}

// checkLog returns an error that is ErrLost if the server would not load what was in the directory. was is the record of the directory,
// or nil. A log that is only cut at its end is no loss: the server continues with the intact part.
func checkLog(dir string, was *record) error {
	files, err := logFiles(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return checkUnlisted(dir, was)
	}
	var what []string
	for _, name := range files {
		switch size := fileSize(dir, name); {
		case size < 0:
			what = append(what, name+" is missing: "+lostPart(name))
		case size == 0 && was != nil && slices.Contains(was.Files, name):
			what = append(what, name+" is empty: "+lostPart(name))
		}
	}
	if what != nil {
		return lostError(dir, was, what...)
	}
	return nil
}

// checkUnlisted is checkLog for a directory without a list of its log.
func checkUnlisted(dir string, was *record) error {
	logs, err := filepath.Glob(filepath.Join(dir, logDir, "*.incr.aof"))
	if err != nil {
		return err
	}
	logs = slices.DeleteFunc(logs, func(path string) bool { return fileSize("", path) <= 0 }) // of a first start that was interrupted
	if was == nil && len(logs) == 0 {
		return nil
	}
	state := " is missing"
	if fileSize(dir, manifest) >= 0 {
		state = " lists no file"
	}
	return lostError(dir, was, manifest+state+": without it the server loads nothing, and replaces what is left")
}

// lostPart describes what a file of the log holds.
func lostPart(name string) string {
	switch {
	case strings.Contains(name, ".incr."):
		return "it holds the writes since the log was last rewritten"
	case strings.Contains(name, ".base."):
		return "it holds everything from before the log was last rewritten"
	}
	return "it holds everything"
}

// checkLoaded returns an error that is ErrLost if a server that is ready holds nothing although there was data.
func (c *child) checkLoaded(ctx context.Context) error {
	was, err := readRecord(c.dir)
	if err != nil || was == nil {
		return err
	}
	keys, err := countKeys(ctx, c.socket)
	if err != nil || keys > 0 {
		return err
	}
	files, err := logFiles(c.dir)
	if err != nil {
		return err
	}
	return lostError(c.dir, was, "the server loads "+strings.Join(files, ", ")+" and finds no data in them")
}

// SetAside moves a directory of a server that does not run to another name, with its record, and returns that name; empty if there is
// nothing to move. The next server starts with an empty store.
func SetAside(ctx context.Context, dir string, log *slog.Logger) (string, error) {
	if fileSize(dir, ".") < 0 && fileSize(recordPath(dir), "") < 0 {
		return "", nil
	}
	lock, err := Lock(dir)
	if err != nil {
		return "", err
	}
	defer lock.Close() //nolint:errcheck // nothing was written to it
	socket, err := socketPath(dir)
	if err == nil {
		err = endLeftover(ctx, dir, socket, 10*time.Second, log)
	}
	if err != nil {
		return "", err
	}
	aside := fmt.Sprintf("%s.%s", filepath.Clean(dir), time.Now().UTC().Format("20060102T150405.000Z"))
	if err := os.Rename(dir, aside); err != nil {
		return "", err
	}
	err = os.Rename(recordPath(dir), recordPath(aside))
	if errors.Is(err, os.ErrNotExist) { // no data was ever seen
		err = nil
	}
	return aside, err
}
