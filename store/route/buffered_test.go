package route_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/route"
)

func TestDeadlinesOfBufferedConnectionsReachTheSocket(t *testing.T) {
	past := time.Unix(1, 0)
	small, large := []byte("PING"), make([]byte, 100<<10)
	for name, use := range map[string]func(c net.Conn) error{
		"a read": func(c net.Conn) error {
			_ = c.SetReadDeadline(past)
			_, err := c.Read(small)
			return err
		},
		"a write that fills the buffer": func(c net.Conn) error {
			_ = c.SetWriteDeadline(past)
			_, err := c.Write(large)
			return err
		},
		"a write that a read sends": func(c net.Conn) error {
			_ = c.SetWriteDeadline(past)
			if _, err := c.Write(small); err != nil {
				return err
			}
			_, err := c.Read(small)
			return err
		},
		"both": func(c net.Conn) error {
			_ = c.SetDeadline(past)
			_, err := c.Read(small)
			return err
		},
	} {
		client, server := net.Pipe() // whose other end neither reads nor writes
		failed := make(chan error, 1)
		go func() { failed <- use(route.Buffered(client)) }()
		select {
		case err := <-failed:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s after its deadline: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s does not end at its deadline", name)
		}
		_, _ = client.Close(), server.Close()
	}
}

// TLS does so when a command is cancelled.
func TestConnectionIsClosedDuringACommand(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	c, ended := route.Buffered(ours), make(chan error)
	_, _ = c.Write([]byte("PING"))
	go func() {
		_, err := c.Read(make([]byte, 1))
		ended <- err
	}()
	if err := c.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Error(err)
	}
	if _, err := c.Write([]byte("alert")); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the command of a closed connection has a reply")
	}
	_ = theirs.Close()
}
