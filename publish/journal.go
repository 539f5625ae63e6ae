package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	journalDir   = "impressions"
	journalMost  = 16 << 20           // bytes of a journal, above which fetches wait in memory
	journalChunk = 1 << 20            // bytes read at a time; a line is shorter
	replayMost   = 500                // lines recorded together
	journalKeep  = 7 * 24 * time.Hour // how long the store knows what it was told from a journal, should that be told again
)

// journal keeps on disk the completed fetches of one feed that the store could not take. It is a file of lines, each a
// checksum (CRC-32C, 8 hex digits), a space and a JSON object. What add has taken is on disk. The file is emptied when
// the store has taken all of it; after a kill in between, all of it is told again, which the ids make harmless.
type journal struct {
	path    string
	log     *slog.Logger
	metrics *feedMetrics
	most    int64    // bytes in the file
	file    *os.File // nil: it could not be opened
	size    int64    // bytes in the file
	read    int64    // of which the store has these
	fetches int      // in the rest
	list    string   // that the last line added refers to
	shown   []feed.Impression
	given   string // list that the last line read refers to
	listed  []feed.Impression
	full    bool // the last add found no room
}

// journalLine is a line: fetches that showed a list, or the list itself, which stands before them.
type journalLine struct {
	List  string            `json:"list"` // its name, by its content
	Shown []feed.Impression `json:"shown,omitempty"`
	ID    string            `json:"id,omitempty"`
	Times int               `json:"times,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newJournal is the journal of a feed; nil where there is no directory for it. open must follow.
func newJournal(typ string, opts Options, m *feedMetrics) *journal {
	if opts.Dir == "" {
		return nil
	}
	return &journal{
		path: filepath.Join(opts.Dir, journalDir, typ+".journal"), log: opts.Logger.With("feed", typ), metrics: m, most: journalMost,
	}
}

// open finds what an earlier run left. Without a file fetches wait in memory.
func (j *journal) open() {
	if j == nil {
		return
	}
	if err := j.load(); err != nil {
		j.log.Error("no journal: while the store is away, impressions wait in memory", "err", err)
		j.close()
		return
	}
	if j.fetches > 0 {
		j.log.Info("impressions of an earlier run are in the journal", "fetches", j.fetches)
	}
	j.show()
}

func (j *journal) load() (err error) {
	if err = os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err = syncDir(filepath.Dir(j.path)); err != nil {
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
		whole := bytes.LastIndexByte(chunk, '\n') + 1
		if whole == 0 {
			j.log.Warn("the end of the journal is torn", "file", j.path, "offset", j.size)
			break
		}
		for line := range bytes.Lines(chunk[:whole]) {
			if e, ok := parseLine(line); ok {
				j.fetches += e.Times
			}
		}
		j.size += int64(whole)
	}
	return j.file.Truncate(j.size)
}

// chunk reads the part of the file that begins at from.
func (j *journal) chunk(from, end int64) ([]byte, error) {
	chunk := make([]byte, min(journalChunk, end-from))
	if _, err := j.file.ReadAt(chunk, from); err != nil {
		return nil, fmt.Errorf("read %s: %w", j.path, err)
	}
	return chunk, nil
}

func (j *journal) close() {
	if j != nil && j.file != nil {
		_ = j.file.Close() // all that counts is synced
		j.file = nil
	}
}

// waiting tells whether there are fetches that the store does not have.
func (j *journal) waiting() bool { return j != nil && j.file != nil && j.read < j.size }

// add writes a batch and syncs it; false: it is not on disk.
func (j *journal) add(b *batch) bool {
	if j == nil || j.file == nil {
		return false
	}
	var lines []byte
	list, shown := j.list, j.shown
	if len(shown) == 0 || !sameShown(shown, b.shown) {
		shown = b.shown
		list = nameOf(shown)
		lines = journalLine{List: list, Shown: shown}.append(lines)
	}
	lines = journalLine{List: list, ID: b.ID, Times: b.Times}.append(lines)
	err := j.write(lines)
	if full := err != nil; full != j.full {
		if j.full = full; full {
			j.log.Error("the journal takes no impressions: they wait in memory", "err", err)
		} else {
			j.log.Info("the journal takes impressions again")
		}
	}
	if err != nil {
		return false
	}
	j.size += int64(len(lines))
	j.fetches += b.Times
	j.list, j.shown = list, shown
	j.show()
	return true
}

var errJournalFull = errors.New("it has its full size")

func (j *journal) write(lines []byte) error {
	if j.size+int64(len(lines)) > j.most {
		return fmt.Errorf("write %s: %w", j.path, errJournalFull)
	}
	_, err := j.file.WriteAt(lines, j.size) // over what an earlier failure may have left
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		_ = j.file.Truncate(j.size) // what is left is overwritten, or torn
	}
	return err
}

// next gives fetches of one list that the store does not have yet, none where a part of the file cannot be used, and
// what forget takes once they are recorded.
func (j *journal) next() (fetches feed.Fetches, next int64) {
	fetches.Keep = journalKeep
	next = j.read
	chunk, err := j.chunk(j.read, j.size)
	if err != nil || bytes.IndexByte(chunk, '\n') < 0 {
		j.log.Error("impressions lost: the journal cannot be read", "file", j.path, "offset", j.read, "err", err)
		return fetches, j.size
	}
	for line := range bytes.Lines(chunk) {
		e, ok := parseLine(line)
		switch {
		case line[len(line)-1] != '\n':
			return fetches, next // the next chunk has all of it
		case !ok:
			j.log.Error("damaged line of the journal skipped", "file", j.path, "offset", next)
		case len(e.Shown) > 0:
			if len(fetches.All) > 0 {
				return fetches, next
			}
			j.given, j.listed = e.List, e.Shown
		case e.List != j.given:
			j.log.Error("line of the journal skipped whose list is lost", "file", j.path, "offset", next, "fetches", e.Times)
		default:
			fetches.Shown = j.listed
			fetches.All = append(fetches.All, feed.Fetch{ID: e.ID, Times: e.Times})
		}
		if next += int64(len(line)); len(fetches.All) == replayMost {
			break
		}
	}
	return fetches, next
}

// forget takes note that the store has all that stands before next.
func (j *journal) forget(next int64) {
	j.read = next
	if j.read < j.size {
		return
	}
	if err := j.file.Truncate(0); err != nil { // it is told again after a restart
		j.log.Warn("the journal was not emptied", "err", err)
		return
	}
	j.read, j.size, j.fetches, j.list, j.shown, j.given, j.listed = 0, 0, 0, "", nil, "", nil
	j.log.Info("the journal is recorded")
	j.show()
}

func (j *journal) show() {
	j.metrics.journalBytes.Set(float64(j.size))
	j.metrics.journalFetches.Set(float64(j.fetches))
}

// nameOf names a list by its content.
func nameOf(shown []feed.Impression) string {
	text, _ := json.Marshal(shown) // strings and numbers always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// append adds the line of e.
func (e journalLine) append(lines []byte) []byte {
	text, _ := json.Marshal(e) // as above
	return fmt.Appendf(lines, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
}

// parseLine reads a line; false: it is not what was written.
func parseLine(line []byte) (e journalLine, ok bool) {
	sum, text, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !found || string(sum) != fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) {
		return journalLine{}, false
	}
	err := json.Unmarshal(text, &e)
	return e, err == nil && e.Times >= 0 && (len(e.Shown) > 0) != (e.ID != "" && e.Times > 0)
}

// syncDir makes the names in a directory last.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	return errors.Join(err, dir.Close())
}
