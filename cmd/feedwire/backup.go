package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store"
)

// Bounds of a backup: how long it may take, and one block of its answer.
const (
	backupTime  = 10 * time.Minute
	backupBlock = time.Minute
)

// serveBackup serves GET /-/backup: all that the store holds, as it is at one moment. It is written to disk first, so that writes
// do not wait for whoever reads the answer.
func (a *app) serveBackup(w http.ResponseWriter, r *http.Request) {
	a.backups.Lock() // two at once would hold up writes for longer
	defer a.backups.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), backupTime)
	defer cancel()
	answer := http.NewResponseController(w)
	_ = answer.SetWriteDeadline(time.Now().Add(backupTime + backupBlock))
	file, err := os.CreateTemp(a.cfg().DataDir, "backup-*") // 0600
	if err != nil {
		a.refuseBackup(w, r, err)
		return
	}
	defer file.Close()                             //nolint:errcheck // it is not kept
	if err := os.Remove(file.Name()); err != nil { // nothing is left of it, whatever comes
		a.refuseBackup(w, r, err)
		return
	}
	begun := time.Now()
	about, err := a.store.Backup(ctx, file)
	held := time.Since(begun)
	if err != nil {
		a.refuseBackup(w, r, err)
		return
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		a.refuseBackup(w, r, err)
		return
	}
	a.log.Info("backup taken", "count", about.Keys, "bytes", size, "held", held)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.Header().Set("Cache-Control", "no-store")
	for sent := int64(0); sent < size; {
		_ = answer.SetWriteDeadline(time.Now().Add(backupBlock))
		n, err := io.CopyN(w, file, min(size-sent, 1<<20))
		if err != nil {
			return // who asked is gone, and sees that it has not got all
		}
		sent += n
	}
}

func (a *app) refuseBackup(w http.ResponseWriter, r *http.Request, err error) {
	a.log.Error("no backup", "err", err)
	refuseOperation(w, r, err)
}

// fetchBackup writes a backup of the daemon into a file, which is there as a whole or not at all, and checks it.
func fetchBackup(ctx context.Context, c *client, path string) (about store.Backup, err error) {
	patient := &http.Client{Timeout: 2 * backupTime}
	resp, err := c.send(ctx, patient, http.MethodGet, "/-/backup", nil)
	if err != nil {
		return about, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	unfinished := path + ".new"
	file, err := os.OpenFile(unfinished, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return about, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(unfinished) // it is of no use
		}
	}()
	if _, err = io.Copy(file, resp.Body); err != nil {
		return about, fmt.Errorf("the backup was cut off: %w; try again", err)
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return about, err
	}
	if about, err = store.ReadBackup(file); err != nil {
		return about, err
	}
	if err = file.Sync(); err != nil {
		return about, err
	}
	if err = file.Close(); err != nil {
		return about, err
	}
	return about, os.Rename(unfinished, path)
}
