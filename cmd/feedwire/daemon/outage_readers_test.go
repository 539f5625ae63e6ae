package daemon

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// door is a TCP address in front of a Redis that can answer every command with an error instead.
type door struct {
	net.Listener
	redis *storetest.Server
	mu    sync.Mutex
	reply string // empty: Redis answers
	conns []net.Conn
}

func newDoor(t *testing.T, redis *storetest.Server) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{Listener: l, redis: redis}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { d.serve(t, c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		d.answer("")
		all.Wait()
	})
	return d
}

// answer makes the door answer with an error on new connections, and ends the others.
func (d *door) answer(reply string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reply = reply
	for _, c := range d.conns {
		_ = c.Close()
	}
	d.conns = nil
}

func (d *door) serve(t *testing.T, in net.Conn) {
	d.mu.Lock()
	reply := d.reply
	d.conns = append(d.conns, in)
	d.mu.Unlock()
	defer in.Close()
	if reply != "" {
		for commands := bufio.NewReader(in); ; {
			if err := skipCommand(commands); err != nil {
				return
			}
			if _, err := io.WriteString(in, "-"+reply+"\r\n"); err != nil {
				return
			}
		}
	}
	out, err := d.redis.Dial(t.Context())
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(in, out)
		_ = in.Close()
	})
	_, _ = io.Copy(out, in)
	_ = out.Close()
	back.Wait()
}

// skipCommand reads an array of bulk strings.
func skipCommand(r *bufio.Reader) error {
	number := func() (int, error) {
		line, err := r.ReadString('\n')
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(line[1:]))
	}
	count, err := number()
	for range count {
		var size int
		if size, err = number(); err == nil {
			_, err = r.Discard(size + 2)
		}
		if err != nil {
			break
		}
	}
	return err
}

// C9: while Redis is unavailable for any reason, readers get the last page that they had, marked as stale. Others are not admitted, and
// writes are not acknowledged.
func TestC9PeopleReadTheirLastPageWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	door := newDoor(t, redis)
	d := startAt(t, "redis://"+door.Addr().String(), "", `  timeout: 2s
fetch: {allow_networks: [127.0.0.0/8]}
auth: {proxy_header: X-Remote-User, proxy_networks: [127.0.0.0/8]}
`, nil)
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "viewer"}, nil)
	_, token, err := d.app.people.CreateToken(t.Context(), &feed.Visitor{Name: "ann"}, "reader", []feed.Scope{feed.ScopeFollows, feed.ScopePosts}, 0)
	if err != nil {
		t.Fatal(err)
	}
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(2)...)
	followed := d.add(web.URL+"/feed.xml", nil)
	web.Set("/other.xml")
	other := d.add(web.URL+"/other.xml", nil)
	ann := client.New(d.Base, token, time.Minute)
	follow := func(method, id string) error {
		return ann.Call(t.Context(), method, "/api/v1/me/follows/"+id, map[string]string{}, nil)
	}
	wiretest.Eventually(t, "followed", func() bool { return follow(http.MethodPut, followed.ID) == nil })

	// get requests a page or a resource of the API.
	get := func(path, token string) (int, http.Header, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Header.Set("X-Remote-User", "ann"); token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, resp.Header, string(body)
	}
	const api, page, mark = "/api/v1/me/feed", "/read", "The store is unavailable."
	own := []string{"/api/v1/me/read", "/api/v1/me/saved", "/api/v1/me/follows", "/api/v1/me/posts", "/posts"}
	// read reports whether all timelines show the two entries, as stale copies or not, and other data of the account is like them.
	read := func(stale bool) bool {
		for path, token := range map[string]string{api: token, "/feed": token, page: ""} {
			status, header, body := get(path, token)
			isStale := header.Get("X-Feedwire-Stale") == "1" && header.Get("Age") != ""
			shown := strings.Contains(body, "Post 0") && strings.Contains(body, "Post 1")
			if status != http.StatusOK || !shown || isStale != stale || path == page && strings.Contains(body, mark) != stale {
				t.Logf("%s: %d, stale %t, %d bytes", path, status, isStale, len(body))
				return false
			}
		}
		for _, path := range own {
			status, header, _ := get(path, token)
			if isStale := header.Get("X-Feedwire-Stale") == "1" && header.Get("Age") != ""; status != http.StatusOK || isStale != stale {
				t.Logf("%s: %d, stale %t", path, status, isStale)
				return false
			}
		}
		return true
	}
	wiretest.Eventually(t, "the timeline has the entries", func() bool { return read(false) })

	raw := storetest.Commands(t, redis.Dial)
	for _, fault := range []struct {
		name         string
		strike, mend func()
	}{
		{"stalls", redis.Stop, redis.Cont},
		{"LOADING", func() { door.answer("LOADING Redis is loading the dataset in memory") }, func() { door.answer("") }},
		{"MASTERDOWN", func() { door.answer("MASTERDOWN Link with MASTER is down") }, func() { door.answer("") }},
		{"READONLY", func() {
			for _, key := range raw.Keys("feed:user:*") {
				raw.Do("EXPIRE", key, 600_000) // pages extend it
			}
			raw.Do("REPLICAOF", "127.0.0.1", "1")
		}, func() { raw.Do("REPLICAOF", "NO", "ONE") }},
		{"is killed", redis.Kill, func() { redis.Restart() }},
	} {
		t.Log(fault.name)
		fault.strike()
		wiretest.Eventually(t, fault.name+": the last pages are shown", func() bool { return read(true) })
		if fault.name != "READONLY" {
			if status, _, _ := get(api, token+"x"); status != http.StatusServiceUnavailable {
				t.Errorf("%s: an unknown token gets %d", fault.name, status)
			}
		}
		if status, _, _ := get(api+"?limit=1", token); status != http.StatusServiceUnavailable {
			t.Errorf("%s: a page without a copy gets %d", fault.name, status)
		}
		if err := follow(http.MethodPut, other.ID); err == nil {
			t.Errorf("%s: a write is acknowledged", fault.name)
		}
		fault.mend()
		wiretest.Eventually(t, fault.name+": is over", func() bool { return read(false) })
	}

	raw = storetest.Commands(t, redis.Dial)
	raw.Do("CONFIG", "SET", "maxmemory", "1")
	wiretest.Eventually(t, "OOM: the timeline is read", func() bool { status, _, _ := get(api, token); return status == http.StatusOK })
	if err := follow(http.MethodPut, other.ID); err == nil {
		t.Error("OOM: a write is acknowledged")
	}
	raw.Do("CONFIG", "SET", "maxmemory", "0")

	// A takedown, an unfollow and the removal of an account end the copies from before.
	wiretest.Eventually(t, "unfollowed", func() bool { return follow(http.MethodDelete, followed.ID) == nil })
	redis.Stop()
	defer redis.Cont()
	if status, _, body := get(api, token); status != http.StatusServiceUnavailable {
		t.Errorf("after an unfollow: %d %s", status, body)
	}
}
