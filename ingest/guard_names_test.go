package ingest_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// record is what a name has: the answers to its so manieth query for addresses of a type.
type record func(query int, typ dnsmessage.Type) []dnsmessage.ResourceBody

// names is a name server for all of the process until the test ends: what it does not know does not exist.
type names struct {
	t       *testing.T
	records map[string]record // by the first label of the name

	serving sync.WaitGroup
	mu      sync.Mutex
	queries map[string]int // of type A, by name
}

func newNames(t *testing.T, records map[string]record) *names {
	t.Helper()
	n := &names{t: t, records: records, queries: map[string]int{}}
	before := nameServer.Swap(n)
	t.Cleanup(func() { nameServer.Store(before); n.serving.Wait() })
	return n
}

// nameServer answers the queries of this process. Nil: the servers of the machine.
var nameServer atomic.Pointer[names]

// resolveByNameServer is called before the first test: a dial that its request no longer waits for may read the resolver
// at any time.
func resolveByNameServer() {
	net.DefaultResolver = &net.Resolver{PreferGo: !bySystem(), Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if n := nameServer.Load(); n != nil {
			return n.dial()
		}
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}}
}

// dial answers on a pipe instead of a connection to a server: DNS over TCP.
func (n *names) dial() (net.Conn, error) {
	client, server := net.Pipe()
	n.serving.Go(func() {
		defer server.Close()
		for {
			var size [2]byte
			if _, err := io.ReadFull(server, size[:]); err != nil {
				return
			}
			question := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(server, question); err != nil {
				return
			}
			answer := n.answer(question)
			if _, err := server.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
				return
			}
		}
	})
	return client, nil
}

func (n *names) answer(question []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		n.t.Errorf("question: %v", err)
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	label, _, _ := strings.Cut(q.Name.String(), ".")
	n.mu.Lock()
	if q.Type == dnsmessage.TypeA {
		n.queries[label]++
	}
	query := n.queries[label]
	n.mu.Unlock()
	if record := n.records[label]; record == nil {
		m.RCode = dnsmessage.RCodeNameError
	} else {
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET} // with a TTL of 0
		for _, body := range record(query, q.Type) {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
			if alias, ok := body.(*dnsmessage.CNAMEResource); ok {
				head.Name = alias.CNAME
			}
		}
	}
	packed, err := m.Pack()
	if err != nil {
		n.t.Errorf("answer: %v", err)
	}
	return packed
}

// addresses are the records of a name that always has these, of either kind.
func addresses(all ...string) record {
	return func(_ int, typ dnsmessage.Type) (bodies []dnsmessage.ResourceBody) {
		for _, text := range all {
			switch addr := netip.MustParseAddr(text); {
			case addr.Is4() && typ == dnsmessage.TypeA:
				bodies = append(bodies, &dnsmessage.AResource{A: addr.As4()})
			case addr.Is6() && typ == dnsmessage.TypeAAAA:
				bodies = append(bodies, &dnsmessage.AAAAResource{AAAA: addr.As16()})
			}
		}
		return bodies
	}
}

// inTurn are the records of a name that changes with each query; the last ones stay.
func inTurn(all ...string) record {
	return func(query int, typ dnsmessage.Type) []dnsmessage.ResourceBody {
		if typ != dnsmessage.TypeA {
			return nil
		}
		return addresses(all[min(query, len(all))-1])(query, typ)
	}
}

func TestT2NamesOfPrivateAddressesAreRefused(t *testing.T) {
	in := listen(t, "127.0.0.1", "::1")
	newNames(t, map[string]record{
		"loopback": addresses("127.0.0.1"),
		"loop6":    addresses("::1"),
		"mapped":   addresses("::ffff:127.0.0.1"),
		"nat64":    addresses("64:ff9b::7f00:1"),
		"6to4":     addresses("2002:7f00:1::"),
		"metadata": addresses("169.254.169.254", "fd00:ec2::254"),
		"zero":     addresses("0.0.0.0", "::"),
		"several":  addresses("10.0.0.1", "127.0.0.1", "::1", "192.168.0.1"),
		"cname": func(query int, typ dnsmessage.Type) []dnsmessage.ResourceBody {
			alias := &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName("localhost.")}
			return append([]dnsmessage.ResourceBody{alias}, addresses("127.0.0.1")(query, typ)...)
		},
	})
	for _, name := range []string{"loopback", "loop6", "mapped", "nat64", "6to4", "metadata", "zero", "several", "cname"} {
		for way, ask := range ways() {
			if got := ask(t, nil, "http://"+name+".example:"+in.port+"/"); got != feed.FailureBlockedAddress {
				t.Errorf("%s, %s: %s", name, way, got)
			}
		}
	}
	in.sawNobody(t)
}

func TestAnUnknownNameIsAnErrorWithoutTheResolver(t *testing.T) {
	newNames(t, nil)
	_, err := discoverer(t).Discover(t.Context(), "http://unknown.example/")
	if want := "the host name could not be resolved: lookup unknown.example: no such host;"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What counts is the address that is dialled: one that the name had before, or that it has besides, opens no door.
func TestT2NamesThatChangeAreJudgedEachTime(t *testing.T) {
	inside := listen(t, "127.0.0.2")
	n := newNames(t, map[string]record{
		"polled":     inTurn("127.0.0.1", "127.0.0.2"),
		"redirected": inTurn("127.0.0.1", "127.0.0.2"),
		"discovered": inTurn("127.0.0.1", "127.0.0.2"),
	})
	outside := listenAndServe(t, "127.0.0.1:"+inside.port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // so that the name is resolved anew
		switch {
		case strings.HasPrefix(r.Host, "redirected."):
			http.Redirect(w, r, "/again", http.StatusFound)
		case strings.HasPrefix(r.Host, "discovered."):
			_, _ = io.WriteString(w, "<html>")
		default:
			_, _ = io.WriteString(w, twoPosts)
		}
	}))
	only := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} // stands for the internet
	url := func(name string) string { return "http://" + name + ".example:" + inside.port + "/" }

	store := newMemory(url("polled"))
	in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: only}})
	t.Cleanup(in.Transport().CloseIdleConnections)
	in.Step(t.Context())
	if state := store.next(t); state.ErrorClass != "" || state.Entries != 2 {
		t.Fatalf("the first poll: %+v", state)
	}
	store.due(url("polled"))
	in.Step(t.Context())
	if state := store.next(t); state.ErrorClass != "blocked_address" {
		t.Errorf("the second poll: %+v", state)
	}
	if got := polled(t, only, url("redirected")); got != feed.FailureBlockedAddress {
		t.Errorf("redirected to itself: %s", got)
	}
	if got, err := discoverer(t, only...).Discover(t.Context(), url("discovered")); err != nil || len(got) != 0 {
		t.Errorf("common paths of a page: %v, %v", got, err)
	}
	if n := n.queries; n["polled"] != 2 || n["redirected"] != 2 || n["discovered"] != 2 {
		t.Errorf("the names were asked for %v times", n)
	}
	if got := outside.accepted.Load(); got != 3 {
		t.Errorf("%d connections to the public address", got)
	}
	inside.sawNobody(t)
}

func TestT2OfMixedAnswersThePublicOnesAreDialled(t *testing.T) {
	inside := listen(t, "127.0.0.2", "::1")
	outside := listenAndServe(t, "127.0.0.1:"+inside.port, says(twoPosts))
	newNames(t, map[string]record{
		"first":  addresses("127.0.0.1", "127.0.0.2", "::1"),
		"last":   addresses("127.0.0.2", "::1", "10.0.0.1", "127.0.0.1"),
		"absent": addresses("127.0.0.2", "::1", "127.0.0.3"), // the public one does not answer
	})
	only := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("127.0.0.3/32")}
	for name, want := range map[string]bool{"first": true, "last": true, "absent": false} {
		got := polled(t, only, "http://"+name+".example:"+inside.port+"/")
		if (got == "") != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := outside.accepted.Load(); got != 2 {
		t.Errorf("%d connections to the public address", got)
	}
	inside.sawNobody(t)
}
