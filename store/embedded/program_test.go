package embedded_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/embedded"
)

// script writes a program that stands for a server.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

const version5 = `echo "Redis server v=5.0.7 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=636cde3b5c7a3923"`

func TestWithoutAServerNothingIsKept(t *testing.T) {
	tests := []struct {
		name, server string // body of the redis-server that is installed; empty: none
	}{
		{name: "none installed"},
		{name: "too old", server: version5},
		{name: "something else", server: "echo hello"},
		{name: "broken", server: "exit 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bin, dir, log := t.TempDir(), t.TempDir(), &journal{}
			if tt.server != "" {
				script(t, bin, "redis-server", tt.server)
			}
			s := embedded.New(dir, embedded.Options{Logger: log.logger()})
			s.SearchIn(bin)
			mustStart(t, s)
			expect(t, s, "SET harbour quiet", "+OK")
			expect(t, s, "GET harbour", "quiet")
			if s.Kind() != "memory" {
				t.Errorf("got kind %q; want memory", s.Kind())
			}
			if log.count("nothing is kept") != 1 || log.count("install the package redis-server") != 1 {
				t.Errorf("got log %q, want one warning with the package to install", log.text.String())
			}
			if got := names(t, dir); len(got) != 0 {
				t.Errorf("got %q in the directory, want nothing", got)
			}

			only := embedded.New(dir, embedded.Options{Mode: embedded.ModeChild})
			only.SearchIn(bin)
			if err := only.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "install the package") {
				t.Errorf("child mode: got %v, want an error with the package to install", err)
			}
		})
	}
}

func TestDataOfAnotherServerIsRefused(t *testing.T) {
	tests := []struct {
		name, last, want string
	}{
		{"newer", "redis-server 99.0.0", "install that or a newer one"},
		{"switched", "valkey-server 8.0.1", "may not read the data of valkey-server 8.0.1"},
		{"unreadable", "harbour", "server-version holds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "server-version"), []byte(tt.last+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			bin := t.TempDir()
			script(t, bin, "redis-server", `echo "Redis server v=7.0.15 sha=0"`)
			s := embedded.New(dir, embedded.Options{})
			s.SearchIn(bin)
			if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestDataIsNotReplacedByMemory(t *testing.T) {
	dir := t.TempDir()
	if err := start(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	s := embedded.New(dir, embedded.Options{})
	s.SearchIn(t.TempDir())
	if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "the data was written by") {
		t.Errorf("got %v, want an error that names the data", err)
	}
}

func TestUnknownModeAndBinaryAreRefused(t *testing.T) {
	for _, opts := range []embedded.Options{
		{Mode: "cluster"},
		{Binary: filepath.Join(t.TempDir(), "missing")},
	} {
		if err := embedded.New(t.TempDir(), opts).Start(t.Context()); err == nil {
			t.Errorf("%+v: got no error", opts)
		}
	}
}

// behaving writes a server that is asked its version like the real one, and does what body says when it is run.
func behaving(t *testing.T, body string) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatalf("install the package redis-server: %v", err)
	}
	return script(t, t.TempDir(), "redis-server",
		`real=`+path+`; [ "$1" = --version ] && exec "$real" --version`+"\n"+body)
}

func TestFailedStartIsTriedOnceMore(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	binary := behaving(t, `[ -e `+mark+` ] && exec "$real" "$@"; touch `+mark+`; echo repaired, start me again; exit 1`)
	s := embedded.New(t.TempDir(), embedded.Options{Binary: binary})
	mustStart(t, s)
	expect(t, s, "PING", "+PONG")
}

func TestStartTellsWhyTheServerEnded(t *testing.T) {
	binary := behaving(t, `echo bad file format; exit 1`)
	dir := t.TempDir()
	err := embedded.New(dir, embedded.Options{Binary: binary}).Start(t.Context())
	for _, want := range []string{dir, "exit status 1", "bad file format"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	start(t, dir) // the directory is free again
}

func TestSilentServerIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	s := embedded.New(dir, embedded.Options{Binary: behaving(t, `exec sleep 60`)})
	s.Patience(100 * time.Millisecond)
	if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v, want an error that says so", err)
	}
	if pid, alive := embedded.ChildPID(dir); alive {
		t.Errorf("child %d still runs", pid)
	}
}

func TestStartStopsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := embedded.New(dir, embedded.Options{Binary: behaving(t, `exec sleep 60`)}).Start(ctx)
	if err == nil || ctx.Err() == nil {
		t.Errorf("got %v, want the error of the context", err)
	}
	if pid, alive := embedded.ChildPID(dir); alive {
		t.Errorf("child %d still runs", pid)
	}
}

func TestRestartDoesNotWaitForProcessesOfTheChild(t *testing.T) {
	helper := filepath.Join(t.TempDir(), "helper") // holds the pid of what stands for a rewrite of the data
	binary := behaving(t, `sleep 60 & echo $! >`+helper+`; exec "$real" "$@"`)
	dir := t.TempDir()
	s := embedded.New(dir, embedded.Options{Binary: binary})
	mustStart(t, s)
	text, err := os.ReadFile(helper)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := embedded.RecordChild(dir+"/..", pid); err != nil { // tells below whether it lives
		t.Fatal(err)
	}
	old := childPID(t, dir)
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is started again", func() bool {
		now, alive := embedded.ChildPID(dir)
		return alive && now != old
	})
	if pid, alive := embedded.ChildPID(dir + "/.."); alive {
		t.Errorf("process %d of the child still runs", pid)
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("12:M 20 Nov 2026 * Ready to accept connections\n\n# Bad file format"), 7)
	f.Add(bytes.Repeat([]byte("x"), 5000), 4000)
	f.Fuzz(func(t *testing.T, text []byte, chunk int) {
		if chunk < 1 {
			return
		}
		if tail := embedded.Tail(slices.Chunk(text, chunk)); len(tail) > 3*1024+2*len(" | ") {
			t.Errorf("%d bytes are kept of %d", len(tail), len(text))
		}
	})
}

func FuzzParseProgram(f *testing.F) {
	f.Add("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0")
	f.Add("Valkey server v=8.0.1 sha=00000000:0")
	f.Add("redis-server 7.0.15\n")
	f.Fuzz(func(t *testing.T, line string) {
		once, ok := embedded.ParseProgram(line)
		if !ok {
			return
		}
		if twice, ok := embedded.ParseProgram(once); !ok || twice != once {
			t.Errorf("%q reads as %q, which reads as %q, %v", line, once, twice, ok)
		}
	})
}
