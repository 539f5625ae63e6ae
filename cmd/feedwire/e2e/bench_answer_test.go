package e2e

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// benchAnswer is the environment variable that makes the test program a server of one answer, by net/http alone: as the
// limit with the limits of time that the daemon's server has, or bare.
const (
	benchAnswer = "FEEDWIRE_BENCH_ANSWER"
	timed       = "limit"
	bare        = "bare"
)

// answer is all that a server from memory needs.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// serveBenchAnswer reads an answer, prints its address and gives the answer to everyone until its standard input ends.
func serveBenchAnswer(kind string) {
	stdin := bufio.NewReader(os.Stdin)
	var a answer
	if err := gob.NewDecoder(stdin).Decode(&a); err != nil {
		panic(err)
	}
	a.Header.Del("Date") // the server's own
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), a.Header)
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
	})}
	if kind == timed {
		srv.ReadHeaderTimeout, srv.ReadTimeout = 5*time.Second, 15*time.Second
		srv.WriteTimeout, srv.IdleTimeout = 60*time.Second, 60*time.Second
	}
	go func() { _ = srv.Serve(l) }()
	_, _ = stdin.ReadByte()
}

// startBenchAnswer starts such a server in a process of its own.
func startBenchAnswer(b *testing.B, kind string, a answer) (address string, pid int) {
	b.Helper()
	c := startCompanion(b, benchAnswer+"="+kind)
	if err := gob.NewEncoder(c.in).Encode(a); err != nil {
		b.Fatal(err)
	}
	return c.line(b), c.pid
}
