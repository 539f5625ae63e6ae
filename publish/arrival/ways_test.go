package arrival_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/publish/arrival"
)

var runs = flag.Int("runs", 8, "how often each client of TestLedgerAgrees fetches")

// client is a way to fetch a response of a number of bytes. It returns how many responses it has read completely.
type client struct {
	name    string
	request string
	fetch   func(c *net.TCPConn, size int) (read int, err error)
}

const (
	keepAlive = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	lastOne   = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	oldOne    = "GET / HTTP/1.0\r\n\r\n"
)

// reset ends the connection with a reset after a while.
func reset(c *net.TCPConn, after time.Duration) (int, error) {
	time.Sleep(after)
	return 0, c.SetLinger(0)
}

// part reads a part of the response.
func part(c *net.TCPConn, size int, percent int) error {
	_, err := io.CopyN(io.Discard, c, int64(size*percent/100))
	return err
}

// whole reads n responses.
func whole(c *net.TCPConn, n int) (int, error) {
	in := bufio.NewReader(c)
	for read := range n {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return read, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			return read, err
		}
	}
	return n, nil
}

// readers are ways to fetch and read all. Like leavers, they close their connection at the end.
func readers() []client {
	return []client{
		{"reads all and closes", keepAlive, func(c *net.TCPConn, _ int) (int, error) { return whole(c, 1) }},
		{"asks for one response only, reads all and closes", lastOne, func(c *net.TCPConn, _ int) (int, error) { return whole(c, 1) }},
		{"speaks HTTP/1.0, reads to the end and closes", oldOne, func(c *net.TCPConn, _ int) (int, error) {
			_, err := io.Copy(io.Discard, c)
			return 1, err
		}},
		{"closes its side first, reads all and closes", keepAlive, func(c *net.TCPConn, _ int) (int, error) {
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			return whole(c, 1)
		}},
		{"closes its side first and reads to the end", lastOne, func(c *net.TCPConn, _ int) (int, error) {
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			_, err := io.Copy(io.Discard, c)
			return 1, err
		}},
		{"reads slowly", keepAlive, func(c *net.TCPConn, size int) (int, error) {
			for range 10 {
				if err := part(c, size, 10); err != nil {
					return 0, err
				}
				time.Sleep(5 * time.Millisecond)
			}
			_, err := c.Read(make([]byte, 4096)) // the header made the response longer than size
			return 1, err
		}},
		{"asks three times", keepAlive, func(c *net.TCPConn, _ int) (int, error) {
			in := bufio.NewReader(c)
			for read := range 3 {
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					return read, err
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					return read, err
				}
				if read < 2 {
					if _, err := io.WriteString(c, keepAlive); err != nil {
						return read, err
					}
				}
			}
			return 3, nil
		}},
		{"asks three times at once and reads all", keepAlive + keepAlive + keepAlive, func(c *net.TCPConn, _ int) (int, error) { return whole(c, 3) }},
	}
}

// leavers are ways to fetch and leave without reading all.
func leavers() []client {
	long := fmt.Sprintf("GET / HTTP/1.1\r\nHost: x\r\nX-Padding: %s\r\n\r\n", strings.Repeat("x", 6000))
	return []client{
		{"resets at once", keepAlive, func(c *net.TCPConn, _ int) (int, error) { return reset(c, 0) }},
		{"closes at once", keepAlive, func(*net.TCPConn, int) (int, error) { return 0, nil }},
		{"resets soon", keepAlive, func(c *net.TCPConn, _ int) (int, error) { return reset(c, 50*time.Millisecond) }},
		{"closes its side first and resets", keepAlive, func(c *net.TCPConn, _ int) (int, error) {
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			return reset(c, 100*time.Millisecond)
		}},
		{"closes its side first, of the last one, and resets", lastOne, func(c *net.TCPConn, _ int) (int, error) {
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			return reset(c, 100*time.Millisecond)
		}},
		{"closes its side first and leaves", oldOne, func(c *net.TCPConn, _ int) (int, error) {
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			time.Sleep(100 * time.Millisecond)
			return 0, nil
		}},
		{"closes its side in the middle and resets", keepAlive, func(c *net.TCPConn, size int) (int, error) {
			if err := part(c, size, 50); err != nil {
				return 0, err
			}
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			return reset(c, 50*time.Millisecond)
		}},
		{"asks ten times at once and resets", strings.Repeat(long, 10), func(c *net.TCPConn, _ int) (int, error) { return reset(c, 100*time.Millisecond) }},
		{"asks ten times at once, closes its side and leaves", strings.Repeat(long, 10), func(c *net.TCPConn, _ int) (int, error) {
			if err := c.CloseWrite(); err != nil {
				return 0, err
			}
			time.Sleep(100 * time.Millisecond)
			return 0, nil
		}},
		{"resets in the middle", keepAlive, func(c *net.TCPConn, size int) (int, error) {
			if err := part(c, size, 50); err != nil {
				return 0, err
			}
			return reset(c, 0)
		}},
		{"closes in the middle", lastOne, func(c *net.TCPConn, size int) (int, error) { return 0, part(c, size, 50) }},
		{"speaks HTTP/1.0 and closes in the middle", oldOne, func(c *net.TCPConn, size int) (int, error) { return 0, part(c, size, 50) }},
		{"resets shortly before the end", keepAlive, func(c *net.TCPConn, size int) (int, error) {
			if err := part(c, size, 99); err != nil {
				return 0, err
			}
			return reset(c, 0)
		}},
		{"reads slowly and resets in the middle", keepAlive, func(c *net.TCPConn, size int) (int, error) {
			for range 10 {
				if err := part(c, size, 5); err != nil {
					return 0, err
				}
				time.Sleep(5 * time.Millisecond)
			}
			return reset(c, 0)
		}},
		{"opens no window and resets", keepAlive, func(c *net.TCPConn, _ int) (int, error) {
			if err := c.SetReadBuffer(1); err != nil {
				return 0, err
			}
			return reset(c, 100*time.Millisecond)
		}},
	}
}

func TestLedgerAgrees(t *testing.T) {
	for _, size := range []int{20_000, 1_500_000} {
		for _, c := range readers() {
			t.Run(fmt.Sprintf("%d %s", size, c.name), func(t *testing.T) { testLedger(t, c, size, 300*time.Millisecond) })
		}
		for _, c := range leavers() {
			t.Run(fmt.Sprintf("%d %s", size, c.name), func(t *testing.T) { testLedger(t, c, size, time.Minute) }) // a reset settles it
		}
	}
}

// testLedger compares what counts with what the client has read.
func testLedger(t *testing.T, client client, size int, settle time.Duration) {
	t.Parallel()
	var (
		mu            sync.Mutex
		counted, read int
		open          sync.WaitGroup // responses that are not settled
	)
	s := serving(t, arrival.NewWatcher(settle), size, func(conn *arrival.Conn, ok bool) {
		if !ok {
			return
		}
		open.Add(1)
		conn.Await(func(delivered bool) {
			mu.Lock()
			defer mu.Unlock()
			if delivered {
				counted++
			}
			open.Done()
		})
	})
	var all errgroup.Group
	all.SetLimit(16)
	for range *runs {
		all.Go(func() error {
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				return err
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, client.request); err != nil {
				return err
			}
			n, err := client.fetch(conn.(*net.TCPConn), size)
			mu.Lock()
			read += n
			mu.Unlock()
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	s.Close() // after it no response is written
	open.Wait()
	if counted != read {
		t.Errorf("%d responses count, but the clients read %d", counted, read)
	}
}
