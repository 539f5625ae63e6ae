package embedded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// maxSocketPath is the maximum length of a socket path on every system, in bytes (sun_path: 104 on BSD and macOS, 108 on Linux, with
// NUL).
const maxSocketPath = 103

// socketPath is the path on which the child listens: in the directory or, if that is too long, in a private directory of os.TempDir,
// whose name identifies the directory.
func socketPath(dir string) (string, error) {
	const name = "redis.sock"
	if path := filepath.Join(dir, name); len(path) <= maxSocketPath {
		return path, nil
	}
	var of syscall.Stat_t
	if err := syscall.Stat(dir, &of); err != nil {
		return "", fmt.Errorf("stat %s: %w", dir, err)
	}
	private := filepath.Join(os.TempDir(), fmt.Sprintf("feedwire-%d-%x-%x", os.Getuid(), of.Dev, of.Ino))
	path := filepath.Join(private, name)
	if len(path) > maxSocketPath {
		return "", fmt.Errorf("the socket path %s has more than %d bytes: choose a shorter data directory or TMPDIR",
			path, maxSocketPath)
	}
	if err := os.Mkdir(private, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	// Everyone may write to the temporary directory, so an existing directory must belong to this user alone.
	var found syscall.Stat_t
	if err := syscall.Lstat(private, &found); err != nil {
		return "", fmt.Errorf("stat %s: %w", private, err)
	}
	if found.Mode&syscall.S_IFMT != syscall.S_IFDIR || found.Mode&0o077 != 0 || int(found.Uid) != os.Getuid() {
		return "", fmt.Errorf("%s is not a directory that only this user can access: remove it", private)
	}
	return path, nil
}

// roundTrip sends one command without arguments to the server at a socket and returns the first line of the reply. io.EOF: the server
// ended instead.
func roundTrip(ctx context.Context, socket, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := dialSocket(ctx, socket)
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // the reply has been read, or reading has failed
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, command+"\r\n"); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(io.LimitReader(conn, 1024)).ReadString('\n')
	return strings.TrimSpace(line), err
}

func dialSocket(ctx context.Context, socket string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", socket)
}
