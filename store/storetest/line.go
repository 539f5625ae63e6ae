package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/core"
)

// Line is a way to a server over TCP on which a test can cut, lose, slow and slice what goes over it.
type Line struct {
	tb     testing.TB
	dial   core.DialFunc
	bridge net.Listener // before the server: the proxy knows TCP only
	ended  sync.WaitGroup
	server *toxiproxy.ApiServer
	proxy  *toxiproxy.Proxy // before the bridge; each disturbance has its own, at the same address
	addr   string
}

// IgnoreLines lets goleak pass over what the proxies of lines leave behind: where one cuts a connection, what still comes
// waits for a reader for good.
func IgnoreLines() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*ToxicStub).Run")
}

// NewLine opens a line to a server until the test ends, or Close.
func NewLine(tb testing.TB, dial core.DialFunc) *Line {
	tb.Helper()
	bridge, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	l := &Line{tb: tb, bridge: bridge, dial: dial}
	l.ended.Go(l.serve)
	l.server = toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	l.addr = reserveAddr(tb) // opened again and again
	l.open("")
	tb.Cleanup(l.Close)
	return l
}

// open starts a proxy with a toxic, as JSON; empty: with none. One that runs is not changed: that waits for good where it
// meets a connection that was cut.
func (l *Line) open(toxic string) {
	l.tb.Helper()
	l.proxy = toxiproxy.NewProxy(l.server, "line", l.addr, l.bridge.Addr().String())
	if toxic != "" {
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			l.tb.Fatalf("%s: %v", toxic, err)
		}
	}
	await(l.tb, "the port of a line is free again", func() bool {
		err := l.proxy.Start()
		if err != nil && !errors.Is(err, syscall.EADDRINUSE) {
			l.tb.Fatal(err)
		}
		return err == nil
	})
}

// serve takes what comes out of the proxy to the server.
func (l *Line) serve() {
	for {
		in, err := l.bridge.Accept()
		if err != nil {
			return // closed
		}
		l.ended.Go(func() {
			defer in.Close() //nolint:errcheck // the end of either side is the end of both
			out, err := l.dial(context.Background())
			if err != nil {
				return
			}
			l.ended.Go(func() {
				_, _ = io.Copy(in, out)
				_ = in.Close()
			})
			_, _ = io.Copy(out, in)
			_ = out.Close()
		})
	}
}

// Addr returns the near end as host:port.
func (l *Line) Addr() string { return l.addr }

// Dial opens a connection over the line.
func (l *Line) Dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", l.addr)
}

// Disturb ends all connections, and does something to what the server answers on those that come, until Heal. Kinds and
// their attributes are toxiproxy's: limit_data {bytes} cuts each connection after so many, reset_peer {timeout, ms} at
// the first answer, timeout {timeout, ms} loses everything and then cuts, latency {latency, jitter, ms} delays, slicer
// {average_size, size_variation, bytes; delay, µs} tears apart.
func (l *Line) Disturb(kind string, attributes map[string]int) {
	l.tb.Helper()
	toxic, err := json.Marshal(map[string]any{"type": kind, "attributes": attributes})
	if err != nil {
		l.tb.Fatal(err)
	}
	l.proxy.Stop()
	l.open(string(toxic))
}

// Heal ends all connections, and those that come are well.
func (l *Line) Heal() {
	l.tb.Helper()
	l.proxy.Stop()
	l.open("")
}

// Close ends the line and all connections over it.
func (l *Line) Close() {
	_ = l.bridge.Close() // twice does no harm
	l.proxy.Stop()
	l.ended.Wait()
}
