package arrival_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/arrival"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server that answers with size bytes. It sends to written when a response is out and to delivered when it
// is known whether the response arrived.
func serve(t *testing.T, w *arrival.Watcher, size int) (addr string, written chan struct{}, delivered chan bool) {
	t.Helper()
	s, written, delivered := unstarted(w, size)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), written, delivered
}

// unstarted returns the server that serve starts.
func unstarted(w *arrival.Watcher, size int) (s *httptest.Server, written chan struct{}, delivered chan bool) {
	written, delivered = make(chan struct{}, 2), make(chan bool, 2)
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Length", fmt.Sprint(size))
		_, err := rw.Write(make([]byte, size))
		err = errors.Join(err, http.NewResponseController(rw).Flush())
		written <- struct{}{}
		if err != nil {
			delivered <- false
			return
		}
		arrival.Of(r).Await(r.Close, func(ok bool) { delivered <- ok })
	}))
	s.Listener, s.Config.ConnContext = w.Listener(s.Listener), w.ConnContext
	return s, written, delivered
}

// dial opens a connection.
func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// send sends a request.
func send(t *testing.T, conn net.Conn, connection string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: %s\r\n\r\n", connection); err != nil {
		t.Fatal(err)
	}
}

// request opens a connection and sends a request.
func request(t *testing.T, addr, connection string) *net.TCPConn {
	t.Helper()
	conn := dial(t, addr)
	send(t, conn, connection)
	return conn
}

// readSome reads the first bytes of a response.
func readSome(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.ReadFull(conn, make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
}

// readAll reads a whole response.
func readAll(t *testing.T, conn net.Conn) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyResponsesThatTheClientReadArrive(t *testing.T) {
	type client struct {
		*net.TCPConn
		written chan struct{} // by the server
	}
	tests := []struct {
		name string
		do   func(t *testing.T, c client)
		want bool
	}{
		{"reads all and stays", func(t *testing.T, c client) { readAll(t, c) }, true},
		{"reads all and closes", func(t *testing.T, c client) {
			readAll(t, c)
			c.Close()
		}, true},
		{"closes its side, then reads all", func(t *testing.T, c client) {
			_ = c.CloseWrite()
			readAll(t, c)
		}, true},
		{"reads a part and closes", func(t *testing.T, c client) {
			readSome(t, c)
			c.Close()
		}, false},
		{"reads a part and resets", func(t *testing.T, c client) {
			readSome(t, c)
			_ = c.SetLinger(0)
			c.Close()
		}, false},
		{"resets without reading", func(t *testing.T, c client) {
			select {
			case <-c.written:
			case <-time.After(100 * time.Millisecond): // the response does not fit into the buffers
			}
			_ = c.SetLinger(0)
			c.Close()
		}, false},
	}
	for _, size := range []int{100, 1_500_000} {
		for _, connection := range []string{"keep-alive", "close"} {
			for _, tt := range tests {
				t.Run(fmt.Sprintf("%d %s %s", size, connection, tt.name), func(t *testing.T) {
					t.Parallel()
					delay := time.Minute // a client that is slow to leave must not count
					if tt.want {
						delay = 50 * time.Millisecond
					}
					addr, written, delivered := serve(t, arrival.NewWatcher(delay), size)
					tt.do(t, client{request(t, addr, connection), written})
					select {
					case got := <-delivered:
						if got != tt.want {
							t.Errorf("delivered is %v, want %v", got, tt.want)
						}
					case <-time.After(time.Minute):
						t.Error("the response is not settled within a minute")
					}
				})
			}
		}
	}
}

// byRecord reads one TLS record at a time, as OpenSSL does. crypto/tls alone would read ahead and get the alert with the body.
type byRecord struct {
	net.Conn
	rest int // of the record
}

func (c *byRecord) Read(p []byte) (int, error) {
	if c.rest == 0 {
		n, err := io.ReadFull(c.Conn, p[:5])
		c.rest = int(p[3])<<8 | int(p[4])
		return n, err
	}
	n, err := c.Conn.Read(p[:min(len(p), c.rest)])
	c.rest -= n
	return n, err
}

func TestClientNeedNotReadTheAlertThatEndsTLS(t *testing.T) {
	const size = 40_000 // several records, which fit into the client's buffer
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, tt := range []struct {
			name string
			do   func(t *testing.T, c *tls.Conn)
			want bool
		}{
			{"reads all and closes at once", func(t *testing.T, c *tls.Conn) {
				readAll(t, c)
				c.Close()
			}, true},
			{"reads all and closes later", func(t *testing.T, c *tls.Conn) {
				readAll(t, c)
				time.Sleep(20 * time.Millisecond) // the alert could have come
				c.Close()
			}, true},
			{"reads all and waits for the end", func(t *testing.T, c *tls.Conn) {
				readAll(t, c)
				if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
					t.Errorf("the connection ended with %v, want EOF", err) // not io.ErrUnexpectedEOF: the alert came
				}
			}, true},
			{"reads a part and closes", func(t *testing.T, c *tls.Conn) {
				readSome(t, c)
				c.Close()
			}, false},
			{"reads a part, sends its alert and closes later", func(t *testing.T, c *tls.Conn) {
				readSome(t, c)
				_ = c.CloseWrite()
				time.Sleep(50 * time.Millisecond)
				_ = c.NetConn().Close() // it has a part unread
			}, false},
		} {
			t.Run(tls.VersionName(version)+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				delay := time.Minute
				if tt.want {
					delay = time.Second
				}
				s, _, delivered := unstarted(arrival.NewWatcher(delay), size)
				s.StartTLS()
				t.Cleanup(s.Close)
				config := s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
				config.ServerName, config.MaxVersion = "example.com", version
				c := tls.Client(&byRecord{Conn: dial(t, s.Listener.Addr().String())}, config)
				send(t, c, "close")
				tt.do(t, c)
				if got := <-delivered; got != tt.want {
					t.Errorf("delivered is %v, want %v", got, tt.want)
				}
			})
		}
	}
}

func TestNextRequestProvesArrival(t *testing.T) {
	addr, _, delivered := serve(t, arrival.NewWatcher(time.Hour), 100)
	conn := request(t, addr, "keep-alive")
	readAll(t, conn)
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if !<-delivered {
		t.Error("the first response is lost, want it delivered")
	}
}

func TestSilentClientHasASecondToAbort(t *testing.T) {
	for age, want := range map[time.Duration]bool{
		0: false, 400 * time.Millisecond: false, 999 * time.Millisecond: false, time.Second: true,
	} {
		if delivered, known := arrival.Judge(arrival.NewWatcher(0), age); known != want || known && !delivered {
			t.Errorf("after %v delivered is %v and known is %v, want known %v", age, delivered, known, want)
		}
	}
}
