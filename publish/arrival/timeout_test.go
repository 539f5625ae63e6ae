package arrival_test

import (
	"errors"
	"net"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/publish/arrival"
)

// deadlines is a connection that remembers what deadlines of reading it was told, and never has anything to read.
type deadlines struct {
	net.Conn
	told []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.told = append(d.told, t); return nil }
func (d *deadlines) Read([]byte) (int, error)          { return 0, nil }

func TestConnectionLearnsDeadlineWhenReadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told deadlines
		c := arrival.Accepted(&told)
		start := time.Now()
		var want []time.Time
		for _, step := range []struct {
			after time.Duration // since the last step
			limit time.Duration // from then on; 0: none
			told  bool
		}{
			{0, 60 * time.Second, true},
			{0, 60 * time.Second, false},
			{time.Second, 60 * time.Second, false}, // a second too early is early enough
			{time.Second, 60 * time.Second, true},
			{0, 59 * time.Second, true}, // never too late
			{0, 0, true},
			{time.Second, 0, false},
			{0, time.Second, true},
			{900 * time.Millisecond, time.Second, true},
		} {
			time.Sleep(step.after)
			var limit time.Time
			if step.limit > 0 {
				limit = time.Now().Add(step.limit)
			}
			_ = c.SetReadDeadline(time.Now().Add(time.Hour)) // reads must not use it
			_ = c.SetReadDeadline(limit)
			if _, err := c.Read(nil); err != nil {
				t.Error(err)
			}
			if step.told {
				want = append(want, limit)
			}
		}
		if !slices.EqualFunc(told.told, want, time.Time.Equal) {
			t.Errorf("after %v the connection was told\n%v, want\n%v", time.Since(start), told.told, want)
		}
	})
}

func TestDeadlineEndsWaitingCalls(t *testing.T) {
	for name, call := range map[string]func(net.Conn) error{
		"read":  func(c net.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"write": func(c net.Conn) error { _, err := c.Write(make([]byte, 1)); return err },
	} {
		for when, limit := range map[string]func(net.Conn){
			"set before, and it comes": func(c net.Conn) { _ = c.SetDeadline(time.Now().Add(time.Second)) },
			"set before, and it came":  func(c net.Conn) { _ = c.SetDeadline(time.Now().Add(-time.Second)) },
			"set meanwhile": func(c net.Conn) {
				time.AfterFunc(time.Second, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
			},
			"brought forward meanwhile": func(c net.Conn) {
				_ = c.SetDeadline(time.Now().Add(time.Hour))
				time.AfterFunc(time.Second, func() { _ = c.SetDeadline(time.Now().Add(time.Second)) })
			},
		} {
			t.Run(name+" "+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ours, theirs := net.Pipe()
					defer ours.Close()
					defer theirs.Close()
					c := arrival.Accepted(ours)
					start := time.Now()
					limit(c)
					if err := call(c); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) > 2*time.Second {
						t.Errorf("ended after %v: %v", time.Since(start), err)
					}
					_ = c.SetDeadline(time.Time{})
					go func() {
						_, _ = theirs.Write([]byte("x"))
						_, _ = theirs.Read(make([]byte, 1))
					}()
					if name == "write" { // the other side writes first
						_, _ = c.Read(make([]byte, 1))
					}
					if err := call(c); err != nil {
						t.Error("after the deadline was lifted:", err)
					}
				})
			})
		}
	}
}
