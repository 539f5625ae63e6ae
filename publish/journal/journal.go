// Package journal keeps completed fetches of a feed on disk while the store cannot record them.
//
// A journal is a file of lines. Each line is a checksum (CRC-32C, 8 hex digits), a space and a JSON object: either a list
// of impressions or fetches that showed the list before them. What Add has accepted is on disk. The file is truncated when
// the store has recorded all of it. If the daemon is killed before that, everything is replayed, which the ids of the
// fetches make harmless. A damaged line costs that line only.
package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	chunkBytes  = 1 << 20 // read at a time; a line is shorter
	replayLines = 500     // returned together
	keepIDs     = 7 * 24 * time.Hour
)

// Options configure a Journal. All are required.
type Options struct {
	Bytes  int64                             // limit of the file, beyond which Add refuses
	Resize func(bytes int64, unrecorded int) // called with the size of the file and the number of fetches in it
	Logger *slog.Logger
}

// Journal is the journal of one feed. It is not safe for concurrent use. A nil Journal is always empty and refuses Add.
type Journal struct {
	path     string
	opts     Options
	file     *os.File // nil: not open
	size     int64    // of the file
	recorded int64    // offset up to which the store has recorded
	fetches  int      // in the file
	written  list     // that the last added line refers to
	read     list     // that the last line read refers to
	full     bool     // the last Add failed
}

// list is the impressions that fetches of one document showed. Its name follows from its content.
type list struct {
	name  string
	shown []feed.Impression
}

// New returns the journal in a file. Open must follow.
func New(path string, opts Options) *Journal { return &Journal{path: path, opts: opts} }

// Open reads what an earlier run left. If the file cannot be used, it logs the reason and Add refuses everything.
func (j *Journal) Open() {
	if j == nil {
		return
	}
	if err := j.load(); err != nil {
		j.opts.Logger.Error("no journal: impressions wait in memory while the store is unavailable", "err", err)
		j.Close()
		return
	}
	if j.fetches > 0 {
		j.opts.Logger.Info("journal has impressions of an earlier run", "fetches", j.fetches)
	}
	j.opts.Resize(j.size, j.fetches)
}

func (j *Journal) load() (err error) {
	if err = os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err = SyncDir(filepath.Dir(j.path)); err != nil {
		return err
	}
	end, err := j.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	for j.size < end {
		chunk, err := j.chunk(j.size, end)
		if err != nil {
			return err
		}
		complete := bytes.LastIndexByte(chunk, '\n') + 1
		if complete == 0 {
			j.opts.Logger.Warn("last line of the journal is torn", "file", j.path, "offset", j.size)
			break
		}
		for text := range bytes.Lines(chunk[:complete]) {
			if l, ok := parseLine(text); ok {
				j.fetches += l.Times
			}
		}
		j.size += int64(complete)
	}
	return j.file.Truncate(j.size)
}

// chunk reads the file from an offset, at most up to end.
func (j *Journal) chunk(from, end int64) ([]byte, error) {
	chunk := make([]byte, min(chunkBytes, end-from))
	if _, err := j.file.ReadAt(chunk, from); err != nil {
		return nil, fmt.Errorf("read %s: %w", j.path, err)
	}
	return chunk, nil
}

// Close closes the file.
func (j *Journal) Close() {
	if j != nil && j.file != nil {
		_ = j.file.Close() // everything that counts is synced
		j.file = nil
	}
}

// Waiting reports whether the journal has fetches that the store has not recorded.
func (j *Journal) Waiting() bool { return j != nil && j.file != nil && j.recorded < j.size }

// Add writes fetches of one document and syncs the file. It returns false if they are not on disk.
func (j *Journal) Add(fetch feed.Fetch, shown []feed.Impression) bool {
	if j == nil || j.file == nil {
		return false
	}
	var lines []byte
	current := j.written
	if !SameList(current.shown, shown) {
		current = newList(shown)
		lines = line{List: current.name, Shown: shown}.append(lines)
	}
	lines = line{List: current.name, ID: fetch.ID, Times: fetch.Times}.append(lines)
	err := j.write(lines)
	if full := err != nil; full != j.full {
		if j.full = full; full {
			j.opts.Logger.Error("journal accepts no impressions: they wait in memory", "err", err)
		} else {
			j.opts.Logger.Info("journal accepts impressions again")
		}
	}
	if err != nil {
		return false
	}
	j.size += int64(len(lines))
	j.fetches += fetch.Times
	j.written = current
	j.opts.Resize(j.size, j.fetches)
	return true
}

var errFull = errors.New("size limit reached")

func (j *Journal) write(lines []byte) error {
	if j.size+int64(len(lines)) > j.opts.Bytes {
		return fmt.Errorf("write %s: %w", j.path, errFull)
	}
	_, err := j.file.WriteAt(lines, j.size) // over what an earlier failure may have left
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		_ = j.file.Truncate(j.size) // otherwise the rest is overwritten later, or is a torn line
	}
	return err
}

// Next returns fetches of one list that the store has not recorded, and the argument for Recorded once it has. It returns
// no fetches if a part of the file is damaged; Recorded skips that part.
func (j *Journal) Next() (fetches feed.Fetches, next int64) {
	fetches.Keep = keepIDs
	next = j.recorded
	chunk, err := j.chunk(j.recorded, j.size)
	if err != nil || bytes.IndexByte(chunk, '\n') < 0 {
		j.opts.Logger.Error("impressions lost: journal cannot be read", "file", j.path, "offset", j.recorded, "err", err)
		return fetches, j.size
	}
	for text := range bytes.Lines(chunk) {
		l, ok := parseLine(text)
		switch {
		case text[len(text)-1] != '\n':
			return fetches, next // the next chunk has the complete line
		case !ok:
			j.opts.Logger.Error("damaged line of the journal skipped", "file", j.path, "offset", next)
		case len(l.Shown) > 0:
			if len(fetches.All) > 0 {
				return fetches, next
			}
			j.read = list{l.List, l.Shown}
		case l.List != j.read.name:
			j.opts.Logger.Error("line of the journal skipped because its list is lost", "file", j.path, "offset", next, "fetches", l.Times)
		default:
			fetches.Shown = j.read.shown
			fetches.All = append(fetches.All, feed.Fetch{ID: l.ID, Times: l.Times})
		}
		if next += int64(len(text)); len(fetches.All) == replayLines {
			break
		}
	}
	return fetches, next
}

// Recorded marks everything before next as recorded by the store.
func (j *Journal) Recorded(next int64) {
	j.recorded = next
	if j.recorded < j.size {
		return
	}
	if err := j.file.Truncate(0); err != nil { // it is replayed after a restart
		j.opts.Logger.Warn("journal not truncated", "err", err)
		return
	}
	j.recorded, j.size, j.fetches, j.written, j.read = 0, 0, 0, list{}, list{}
	j.opts.Logger.Info("journal is recorded")
	j.opts.Resize(0, 0)
}

// SyncDir makes the names in a directory durable.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	return errors.Join(err, dir.Close())
}
