package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/feedwire/feedwire/store/ops"
)

// backupTimeout bounds the time in which a daemon writes and sends a backup.
const backupTimeout = 20 * time.Minute

// Backup writes a verified backup of the daemon to a file. It leaves no incomplete file.
func (c *Client) Backup(ctx context.Context, path string) (about ops.Backup, err error) {
	resp, err := c.WithTimeout(backupTimeout).Send(ctx, http.MethodGet, "/-/backup", nil)
	if err != nil {
		return about, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	unfinished := path + ".new"
	file, err := os.OpenFile(unfinished, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return about, err
	}
	about, err = writeBackup(file, resp.Body)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		_ = os.Remove(unfinished) // it is incomplete
	}
	return about, err
}

// writeBackup writes a backup to a file and verifies it.
func writeBackup(file *os.File, from io.Reader) (about ops.Backup, err error) {
	if _, err = io.Copy(file, from); err != nil {
		return about, fmt.Errorf("the backup is incomplete: %w; run the command again", err)
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return about, err
	}
	if about, err = ops.ReadBackup(file); err != nil {
		return about, err
	}
	return about, file.Sync()
}
