package embedded

import (
	"syscall"
	"testing"
)

func TestUnlockedDirectoryIsFreeWhileAProcessStarts(t *testing.T) {
	dir := t.TempDir()
	lock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(lock.file.Fd())) // as a new process has it until it runs its program
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
