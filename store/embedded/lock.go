package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// DirLock is the lock of a directory.
type DirLock struct{ file *os.File }

// Close unlocks the directory. To close the file would not suffice: a process that is being started has it, too, until it runs its
// program.
func (l *DirLock) Close() error {
	return errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
}

// Lock locks a directory until the lock is closed or the process ends. A child does not inherit the lock.
func Lock(dir string) (*DirLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		holder, _ := io.ReadAll(io.LimitReader(f, 20)) // only for the message
		_ = f.Close()
		return nil, fmt.Errorf("another feedwire (pid %s) is using %s: stop it or choose another data directory",
			strings.TrimSpace(string(holder)), dir)
	case err == nil:
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return &DirLock{f}, nil
}
