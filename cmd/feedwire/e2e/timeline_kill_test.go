package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// fanoutCrashes are the points on the way from a signal to the timelines. At the second one, a change is left from before.
func fanoutCrashes() (all []crash) {
	for _, step := range []string{"PlanFanout", "ApplyChunk", "FinishChunk"} {
		all = append(all, crash{"before " + step, 1}, crash{"after " + step, 1}, crash{"before " + step, 2}, crash{"after " + step, 2})
	}
	return all
}

// followers are the accounts of a newsroom.
var followers = []string{"ann", "bob", "eve"}

// newsroom is a daemon with a source that some accounts follow and have read, so that their timelines are warm.
type newsroom struct {
	*wiretest.Process
	redis *storetest.Server
	raw   *storetest.Redigo
	web   *wiretest.Origin
	items []wiretest.Item
}

func newNewsroom(t *testing.T) *newsroom {
	t.Helper()
	redis := storetest.RedisAOF(t)
	return newNewsroomAt(t, redis, fmt.Sprintf("store: {redis: %q}", "unix://"+redis.Addr()))
}

// newNewsroomAt is newNewsroom for a daemon with a configuration, and with more in its environment.
func newNewsroomAt(t *testing.T, redis *storetest.Server, config string, environment ...string) *newsroom {
	t.Helper()
	n := &newsroom{redis: redis, raw: storetest.Commands(t, redis.Dial), web: wiretest.NewOrigin(t)}
	n.Process = wiretest.NewProcess(t, wiretest.BuildBinary(t, "crashpoints"), config)
	n.Start(environment...)
	n.Ready()
	n.post()
	n.call(http.MethodPost, "/api/v1/sources", map[string]string{"url": n.url()})
	for _, name := range followers {
		n.call(http.MethodPost, "/api/v1/users", map[string]string{"name": name, "role": "viewer"})
		n.call(http.MethodPut, "/api/v1/me/follows/"+feed.SourceID(n.url())+"?user="+name, map[string]string{})
	}
	wiretest.Eventually(t, "the timelines are warm", func() bool {
		for _, name := range followers {
			n.call(http.MethodGet, "/api/v1/me/feed?user="+name, nil)
		}
		return n.stale() == ""
	})
	return n
}

func (n *newsroom) url() string { return n.web.URL + "/feed.xml" }

func (n *newsroom) call(method, path string, in any) {
	n.T.Helper()
	if err := n.Client().Call(n.T.Context(), method, path, in, nil); err != nil {
		n.T.Fatalf("%s %s: %v", method, path, err)
	}
}

// post adds a post to the source, which is polled every second.
func (n *newsroom) post() {
	number := len(n.items)
	n.items = append(n.items, wiretest.Post(fmt.Sprintf("p%d", number), fmt.Sprintf("Post %d", number), "<p>Text.</p>"))
	n.web.Set("/feed.xml", n.items...)
}

// takeDown takes the oldest entry down. It may fail, because the daemon may be killed meanwhile.
func (n *newsroom) takeDown() {
	if all := n.entries(); len(all) > 3 {
		_ = n.Client().Call(n.T.Context(), http.MethodDelete, "/api/v1/entries/"+all[len(all)-1], nil, nil)
	}
}

// entries returns the numbers of the entries of the source, newest first.
func (n *newsroom) entries() []string {
	all := n.raw.Strings("ZREVRANGE", n.url()+":sort", 0, -1)
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "Entry:")
	}
	return all
}

// stale describes a timeline whose cache does not have exactly the entries of the source; empty: there is none.
func (n *newsroom) stale() string {
	caches := slices.DeleteFunc(n.raw.Keys("feed:user:*"), func(key string) bool { return strings.HasSuffix(key, ":warm") })
	want := n.entries()
	for _, key := range caches {
		if got := n.raw.Strings("ZREVRANGE", key, 0, -1); !slices.Equal(got, want) {
			return fmt.Sprintf("%s has %v, the source has %v", key, got, want)
		}
	}
	if len(caches) != len(followers) || len(want) == 0 {
		return fmt.Sprintf("the caches are %v, the source has %v", caches, want)
	}
	return ""
}

// settle waits until all posts and takedowns are in the caches of the timelines, which no test has read since.
func (n *newsroom) settle() {
	n.T.Helper()
	last := fmt.Sprintf("p%d", len(n.items)-1)
	wiretest.Eventually(n.T, "the last post is stored", func() bool { return n.raw.Int("HEXISTS", n.url()+":guidmap", last) == 1 })
	why := ""
	defer func() {
		if why != "" {
			n.T.Log(why)
		}
	}()
	wiretest.Eventually(n.T, "the timelines have the entries of the source", func() bool { why = n.stale(); return why == "" })
}

func TestTimelinesMissNothingWhileTheFanoutIsKilled(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t)
	n.Kill()
	for _, crash := range fanoutCrashes() {
		dieAt(n.Process, crash, func(turn int) {
			switch turn % 30 {
			case 0:
				n.post()
			case 15:
				n.takeDown()
			}
		})
	}
	n.Start()
	n.Ready()
	n.settle()
}

func TestTimelinesMissNothingWhileRedisIsKilled(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t)
	for range 6 {
		n.post()
		last := fmt.Sprintf("p%d", len(n.items)-1)
		wiretest.Eventually(t, "the post is stored", func() bool { return n.raw.Int("HEXISTS", n.url()+":guidmap", last) == 1 })
		n.takeDown()
		n.redis.Kill()
		n.redis.Restart()
		n.raw = storetest.Commands(t, n.redis.Dial)
	}
	n.Ready()
	n.settle()
}
