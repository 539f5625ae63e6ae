package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// benchAttack is the environment variable that makes the test program a crowd of hostile clients and servers: the address to attack
// and the size of the crowd in per cent.
const benchAttack = "FEEDWIRE_BENCH_ATTACK"

// attackers is the crowd in a process of its own.
type attackers struct {
	*companion
	tarpits string // the port at which every address of 127.0.0.0/8 accepts connections and says nothing
}

func startAttackers(b *testing.B, address string, percent int) *attackers {
	b.Helper()
	// It gets the processor time that is left, because real attackers use their own processors.
	c := startCompanion(b, fmt.Sprintf("%s=%s %d", benchAttack, address, percent), "chrt", "--idle", "0")
	return &attackers{c, c.line(b)}
}

// attack begins the attack, which lasts as long as the benchmark.
func (a *attackers) attack(b *testing.B) {
	b.Helper()
	if _, err := io.WriteString(a.in, "\n"); err != nil {
		b.Fatal(err)
	}
}

// crowdOf is what hostile clients do, each again and again.
type crowdOf struct {
	address string
	clients sync.WaitGroup
}

func serveBenchAttack(at string) {
	var c crowdOf
	var percent int
	if _, err := fmt.Sscan(at, &c.address, &percent); err != nil {
		panic(err)
	}
	tarpits, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		panic(err)
	}
	defer tarpits.Close()
	go serveTarpits(tarpits)
	fmt.Println(tarpits.Addr().(*net.TCPAddr).Port)
	stdin := bufio.NewReader(os.Stdin)
	if _, err := stdin.ReadString('\n'); err != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	const half = 190 << 10
	form := "POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s"
	for _, kind := range []struct {
		clients int
		pause   time.Duration // at least, at most twice that
		do      func(c net.Conn)
	}{
		{4000, 5 * time.Second, sends(fmt.Appendf(nil, form, half+100, "name=ann&password="+strings.Repeat("x", half)))},
		{60, 5 * time.Second, sends(upload())},
		{300, 5 * time.Second, readSlowly},
		{300, 5 * time.Second, readNothing},
		{1000, 5 * time.Second, sends([]byte("GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("a: b\r\n", 1000)))},
		{1000, 5 * time.Second, sends(nil)},
		{20, time.Second, sends([]byte("GET /feed/private HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ZmI6Z3Vlc3M=\r\n\r\n"))},
		{20, time.Second, sends([]byte("GET /api/v1/sources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer guess\r\n\r\n"))},
		{20, time.Second, sends(fmt.Appendf(nil, form, 23, "name=ann&password=guess"))},
	} {
		for i := range max(kind.clients*percent/100, 1) {
			c.clients.Go(func() { c.repeat(ctx, fmt.Sprintf("127.1.0.%d", i%200+1), kind.pause, kind.do) })
		}
	}
	_, _ = stdin.ReadString('\n')
	stop()
	c.clients.Wait()
}

func (c *crowdOf) repeat(ctx context.Context, from string, pause time.Duration, do func(net.Conn)) {
	rest := rand.N(pause) // not all at the same time
	for {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
		rest = pause + rand.N(pause)
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
		conn, err := d.DialContext(ctx, "tcp", c.address)
		if err != nil {
			continue
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		do(conn)
		stop()
		conn.Close()
	}
}

// sends returns what a client does that sends bytes and waits for the end of the connection, or for a response.
func sends(request []byte) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Write(request)
		_, _ = c.Read(make([]byte, 64))
	}
}

// readSlowly reads a byte of a feed per second.
func readSlowly(c net.Conn) {
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	_, err := io.WriteString(c, "GET /feed/production HTTP/1.1\r\nHost: x\r\n\r\n")
	for ; err == nil; time.Sleep(time.Second) {
		_, err = c.Read(make([]byte, 1))
	}
}

// readNothing requests a feed and waits for the end of the attack, or for a minute.
func readNothing(c net.Conn) {
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	_, err := io.WriteString(c, "GET /feed/production HTTP/1.1\r\nHost: x\r\n\r\n")
	for second := 0; err == nil && second < 60; second++ {
		time.Sleep(time.Second)
		_, err = c.Write(nil) // fails if the connection is closed
	}
}

// upload returns the request of an editor who uploads a list of sources of nearly 8 MB.
func upload() []byte {
	var list bytes.Buffer
	list.WriteString(`<opml version="2.0"><body>`)
	for i := 0; list.Len() < 8<<20-1000; i++ {
		fmt.Fprintf(&list, `<outline text="%s" type="rss" xmlUrl="http://host%d.example/feed"/>`, strings.Repeat("x", 350), i)
	}
	list.WriteString(`</body></opml>`)
	return fmt.Appendf(nil, "POST /api/v1/opml?dry_run=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: text/x-opml\r\nContent-Length: %s\r\n\r\n%s",
		benchToken, strconv.Itoa(list.Len()), list.Bytes())
}

// serveTarpits accepts connections and says nothing.
func serveTarpits(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}()
	}
}
