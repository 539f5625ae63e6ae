package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Timeouts of a backup and of one block of its response.
const (
	backupTime  = 10 * time.Minute
	backupBlock = time.Minute
)

// serveBackup serves GET /-/backup, a consistent copy of the store. It writes to disk first, so that a slow client does not block
// writes to the store.
func (a *app) serveBackup(w http.ResponseWriter, r *http.Request) {
	a.backups.Lock() // concurrent backups would block writes for longer
	defer a.backups.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), backupTime)
	defer cancel()
	response := http.NewResponseController(w)
	_ = response.SetWriteDeadline(time.Now().Add(backupTime + backupBlock))
	file, err := os.CreateTemp(a.cfg().DataDir, "backup-*") // 0600
	if err != nil {
		a.failBackup(w, r, err)
		return
	}
	defer file.Close()                             //nolint:errcheck // it is deleted
	if err := os.Remove(file.Name()); err != nil { // the open file remains readable
		a.failBackup(w, r, err)
		return
	}
	begun := time.Now()
	about, err := a.store.Ops.Backup(ctx, file)
	blocked := time.Since(begun)
	if err != nil {
		a.failBackup(w, r, err)
		return
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		a.failBackup(w, r, err)
		return
	}
	a.log.Info("backup taken", "count", about.Keys, "bytes", size, "blocked", blocked)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.Header().Set("Cache-Control", "no-store")
	for sent := int64(0); sent < size; {
		_ = response.SetWriteDeadline(time.Now().Add(backupBlock))
		n, err := io.CopyN(w, file, min(size-sent, 1<<20))
		if err != nil {
			return // the client notices the missing bytes
		}
		sent += n
	}
}

// failBackup responds with the text of an error, which operators may read.
func (a *app) failBackup(w http.ResponseWriter, r *http.Request, err error) {
	a.log.Error("backup failed", "err", err)
	kind := feed.ProblemConflict
	if errors.Is(err, feed.ErrUnavailable) {
		kind = feed.ProblemUnavailable
	}
	web.WriteProblem(w, kind.Problem(r, err.Error()))
}
