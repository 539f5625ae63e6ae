package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/feedwire/feedwire/publish/journal"
)

// copies are the last good documents of all outlets, in memory and on disk. A document from before a takedown must not be served
// after it, not even while the store is unavailable.
type copies struct {
	dir       string        // of the files; empty: there are none
	takedowns atomic.Uint64 // a document that was not compared with the store since the last one is not served

	mu       sync.RWMutex // read-locked while a file is written
	held     int          // calls of hold without release
	removals int          // calls of hold
}

// hold deletes all files. No file is written before release.
func (c *copies) hold() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held++
	c.removals++
	return c.remove(func(string) bool { return true })
}

func (c *copies) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held--
}

// errHeld is the error of a file that was not written because of hold.
var errHeld = errors.New("copies are held")

// state reports whether files are held, and how often they were deleted.
func (c *copies) state() (held bool, removals int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.held > 0, c.removals
}

// remove deletes the files of the outlets that unwanted selects by their names.
func (c *copies) remove(unwanted func(outlet string) bool) error {
	if c.dir == "" {
		return nil
	}
	files, _ := os.ReadDir(c.dir) // no directory: nothing to delete
	var errs []error
	for _, f := range files {
		name, isCopy := strings.CutSuffix(f.Name(), copySuffix)
		if isCopy && unwanted(name) {
			errs = append(errs, os.Remove(filepath.Join(c.dir, f.Name())))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errors.Join(append(errs, journal.SyncDir(c.dir))...)
}

// Takedown runs take, which removes an entry with its article. Documents from before are deleted from disk first, so that they do not
// come back if the daemon is killed and starts while the store is unavailable. In memory they stay only if they are still right.
func (p *Publisher) Takedown(take func() error) error {
	p.holdCopies()
	defer p.copies.release()
	defer p.copies.takedowns.Add(1) // also after an error: a lost reply may be that of a takedown
	return take()
}

func (p *Publisher) holdCopies() {
	if err := p.copies.hold(); err != nil {
		p.opts.Logger.Error("last good copies not deleted: a start while the store is unavailable may serve an entry that was taken down",
			"dir", p.copies.dir, "err", err)
	}
}

// KeepCopies decides whether last good documents are stored on disk. They are not if another daemon could take an entry down while
// this one is stopped.
func (p *Publisher) KeepCopies(keep bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if keep != p.noCopies {
		return
	}
	if p.noCopies = !keep; keep {
		p.copies.release()
		for _, o := range *p.outlets.Load() {
			o.disk.wake()
		}
		return
	}
	p.holdCopies()
}
