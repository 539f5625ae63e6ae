package images

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxFiles bounds the files of the cache, however small they are.
const maxFiles = 20_000

// cache is a directory of images. The oldest ones are removed if it has too many bytes or files. An empty file is an image that could
// not be fetched. Failures of the disk only cost the copy.
type cache struct {
	dir string
	max func() int64

	mu    sync.Mutex
	read  bool     // files has those that were there before
	files []stored // oldest first
	bytes int64
}

type stored struct {
	name  string
	bytes int64
	time  time.Time
}

func newCache(dir string, most func() int64) *cache { return &cache{dir: dir, max: most} }

// get returns an image that is not too old. It is empty if the image could not be fetched.
func (c *cache) get(name string, now time.Time) (file []byte, ok bool) {
	path := filepath.Join(c.dir, name)
	info, err := os.Stat(path) //nolint:gosec // a hash
	if err != nil {
		return nil, false
	}
	life := keepFor
	if info.Size() == 0 {
		life = failedFor
	}
	if now.Sub(info.ModTime()) > life {
		return nil, false
	}
	file, err = os.ReadFile(path) //nolint:gosec // a hash
	return file, err == nil
}

// put stores an image.
func (c *cache) put(name string, file []byte, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path+temporary, file, 0o600); err != nil { //nolint:gosec // a hash
		_ = os.Remove(path + temporary) //nolint:gosec // a hash
		return
	}
	_ = os.Chtimes(path+temporary, now, now)
	if os.Rename(path+temporary, path) != nil { //nolint:gosec // a hash
		return
	}
	if i := slices.IndexFunc(c.files, func(s stored) bool { return s.name == name }); i >= 0 {
		c.bytes -= c.files[i].bytes
		c.files = slices.Delete(c.files, i, i+1)
	}
	c.files = append(c.files, stored{name, int64(len(file)), now})
	c.bytes += int64(len(file))
	for len(c.files) > 0 && (c.bytes > c.max() || len(c.files) > maxFiles) {
		_ = os.Remove(filepath.Join(c.dir, c.files[0].name))
		c.bytes -= c.files[0].bytes
		c.files = c.files[1:]
	}
}

const temporary = ".tmp"

// list reads the directory once, and creates it.
func (c *cache) list() {
	if c.read {
		return
	}
	c.read = true
	_ = os.MkdirAll(c.dir, 0o700)
	entries, _ := os.ReadDir(c.dir)
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case strings.HasSuffix(e.Name(), temporary): // of a daemon that was killed
			_ = os.Remove(filepath.Join(c.dir, e.Name()))
		case err == nil:
			c.files = append(c.files, stored{e.Name(), info.Size(), info.ModTime()})
			c.bytes += info.Size()
		}
	}
	slices.SortFunc(c.files, func(a, b stored) int { return cmp.Or(a.time.Compare(b.time), cmp.Compare(a.name, b.name)) })
}

// size returns the bytes of all images.
func (c *cache) size() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list()
	return float64(c.bytes)
}
