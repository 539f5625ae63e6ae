package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Files stores images by name: "<account>/<name>". Methods return fs.ErrNotExist if an image does not exist, and feed.ErrUnavailable if the
// store of images cannot answer now. Implementations must be safe for concurrent use.
type Files interface {
	// Put stores an image, or records that it was stored again, and reports whether it is new.
	Put(ctx context.Context, name string, file []byte, now time.Time) (isNew bool, err error)
	// Open returns an image to read.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	// Stored returns when an image was stored last.
	Stored(ctx context.Context, name string) (time.Time, error)
	// List returns the images whose names begin with a text: "" or "<account>/".
	List(ctx context.Context, start string) ([]File, error)
	// Delete deletes an image. It is a no-op if the image does not exist.
	Delete(ctx context.Context, name string) error
}

// File is an image that is stored.
type File struct {
	Name string
	Size int64 // in bytes
}

// Dir is a directory of images. It need not exist.
type Dir string

const temporary = ".tmp"

func (d Dir) file(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

// Put is Files.Put.
func (d Dir) Put(_ context.Context, name string, file []byte, now time.Time) (isNew bool, err error) {
	to := d.file(name)
	if os.Chtimes(to, now, now) == nil {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return false, err
	}
	if err := os.WriteFile(to+temporary, file, 0o600); err != nil {
		return false, err
	}
	return true, errors.Join(os.Chtimes(to+temporary, now, now), os.Rename(to+temporary, to))
}

// Open is Files.Open.
func (d Dir) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	return os.Open(d.file(name)) //nolint:gosec // the name is a number and a hash
}

// Stored is Files.Stored.
func (d Dir) Stored(_ context.Context, name string) (time.Time, error) {
	info, err := os.Stat(d.file(name))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// List is Files.List.
func (d Dir) List(_ context.Context, start string) (all []File, err error) {
	err = filepath.WalkDir(d.file(start), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // files come and go
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		name, err := filepath.Rel(string(d), path)
		all = append(all, File{filepath.ToSlash(name), info.Size()})
		return err
	})
	return all, err
}

// Delete is Files.Delete. It deletes the directory of an account with its last image.
func (d Dir) Delete(_ context.Context, name string) error {
	err := os.Remove(d.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(filepath.Dir(d.file(name))) // unless it has other images
	return err
}
