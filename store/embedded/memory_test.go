package embedded_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/store/embedded"
	"github.com/feedwire/feedwire/store/feed"
)

func TestKeysExpireInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := embedded.New("", embedded.Options{Mode: embedded.ModeMemory})
		mustStart(t, s)
		expect(t, s, "SET lease mine EX 30", "+OK")
		time.Sleep(29 * time.Second)
		expect(t, s, "GET lease", "mine")
		time.Sleep(3 * time.Second)
		expect(t, s, "GET lease", "$-1")
	})
}

func TestStreamIdsFollowTheClockInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := embedded.New("", embedded.Options{Mode: embedded.ModeMemory})
		mustStart(t, s)
		expect(t, s, "XADD signals * kind post_created", "946684800000-0") // midnight of 2000-01-01, where a bubble starts
		time.Sleep(time.Minute)
		expect(t, s, "XADD signals * kind post_created", "946684860000-0")
	})
}

func TestLongPipelineDoesNotBlockInMemory(t *testing.T) {
	s := embedded.New("", embedded.Options{Mode: embedded.ModeMemory})
	mustStart(t, s)
	expect(t, s, "SET page "+strings.Repeat("x", 4096), "+OK")
	conn, err := s.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	const commands = 2000
	if _, err := io.WriteString(conn, strings.Repeat(encode("GET page"), commands)); err != nil {
		t.Fatalf("write the pipeline: %v", err)
	}
	replies := io.LimitReader(conn, commands*(4096+int64(len("$4096\r\n\r\n"))))
	if n, err := io.Copy(io.Discard, bufio.NewReader(replies)); err != nil || n < commands*4096 {
		t.Errorf("got %d bytes of replies, %v", n, err)
	}
}

func TestClosedMemoryIsUnavailable(t *testing.T) {
	s := embedded.New("", embedded.Options{Mode: embedded.ModeMemory})
	mustStart(t, s)
	conn, err := s.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("open connection: got %v, want EOF", err)
	}
	if _, err := s.Dial(t.Context()); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("new connection: got %v, want ErrUnavailable", err)
	}
}

func TestCloseEndsBlockingCommandsInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := embedded.New("", embedded.Options{Mode: embedded.ModeMemory})
		mustStart(t, s)
		conn, err := s.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, encode("BLPOP nothing 0")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // it blocks now
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("got %v, want EOF", err)
		}
	})
}
