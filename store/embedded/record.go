package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// record says that a directory holds data. It is next to the directory, so that it outlasts what the directory loses.
type record struct {
	Seen  time.Time `json:"seen"`  // when the server last held Keys
	Keys  int       `json:"keys"`  // at least 1
	Files []string  `json:"files"` // of the log that were not empty, relative to the directory
}

// recordPath returns the path of the record of a directory, such as data/redis.record.
func recordPath(dir string) string { return filepath.Clean(dir) + ".record" }

// readRecord returns the record of a directory, or nil if no data was ever seen in it. A damaged record says no more than that.
func readRecord(dir string) (*record, error) {
	text, err := os.ReadFile(recordPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	var r record
	if json.Unmarshal(text, &r) != nil {
		return &record{}, nil
	}
	return &r, nil
}

// write replaces the record of a directory.
func (r *record) write(dir string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	path := recordPath(dir)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// How often the child compares its record with the data, and how old a record with the same files may become.
const (
	recordEvery = 2 * time.Second
	recordAge   = time.Minute
)

// keepRecord keeps the record current until ctx ends.
func (c *child) keepRecord(ctx context.Context) {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.remember(ctx); err != nil && ctx.Err() == nil && c.up.Load() {
				c.log.WarnContext(ctx, "the record of the embedded store is not current", "file", recordPath(c.dir), "err", err)
			}
		}
	}
}

// remember writes the record if the server holds data and the record does not name the same files.
func (c *child) remember(ctx context.Context) error {
	c.recording.Lock()
	defer c.recording.Unlock()
	files, err := logFiles(c.dir)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(name string) bool { return fileSize(c.dir, name) <= 0 })
	if slices.Equal(files, c.recorded.Files) && time.Since(c.recorded.Seen) < recordAge {
		return nil
	}
	keys, err := countKeys(ctx, c.socket)
	if err != nil || keys == 0 {
		return err
	}
	now := record{Seen: time.Now().UTC(), Keys: keys, Files: files}
	if err = now.write(c.dir); err == nil {
		c.recorded = now
	}
	return err
}

// countKeys returns how many keys the server at a socket holds.
func countKeys(ctx context.Context, socket string) (int, error) {
	reply, err := roundTrip(ctx, socket, "DBSIZE")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimPrefix(reply, ":"))
}

// Files of the log. Before version 7 the log is one file; a newer server moves that into the directory.
const (
	logDir   = "appendonlydir"
	manifest = logDir + "/appendonly.aof.manifest"
	oldLog   = "appendonly.aof"
)

// logFiles returns the files of the log that the server would load, whether they exist or not, relative to the directory.
func logFiles(dir string) (files []string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifest))
	if errors.Is(err, fs.ErrNotExist) {
		if fileSize(dir, oldLog) < 0 {
			return nil, nil
		}
		return []string{oldLog}, nil
	}
	for line := range bytes.Lines(text) { // file appendonly.aof.1.base.rdb seq 1 type b
		words := strings.Fields(string(line))
		if len(words) < 6 || words[0] != "file" || words[5] == "h" { // the history is not loaded
			continue
		}
		name := logDir + "/" + words[1]
		if words[1] == oldLog && fileSize(dir, name) < 0 {
			name = oldLog // its move was interrupted, and the server repeats it
		}
		files = append(files, name)
	}
	return files, err
}

// fileSize returns the size of a file in a directory; -1: it does not exist.
func fileSize(dir, name string) int64 {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return -1
	}
	return info.Size()
}
