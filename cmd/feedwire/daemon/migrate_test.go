//go:build !race

package daemon

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t, false)
	t.Run("a daemon goes on in a cluster, and again on one Redis", func(t *testing.T) {
		t.Parallel()
		goesOnElsewhere(t, cluster)
	})
	t.Run("no daemon begins in the middle, and the killed command goes on", func(t *testing.T) {
		t.Parallel()
		killedMigration(t, cluster)
	})
}

// moving is what a person has who moves an installation from place to place.
type moving struct {
	*testing.T
	binary, dir string
	names       *strings.Replacer // of the examples, each with what it is here
}

// migrate runs a command line of the documentation for the store at a place, as soon as it finds that at rest.
func (m *moving) migrate(line, redis, prefix string) string {
	m.Helper()
	args := strings.Fields(strings.ReplaceAll(m.names.Replace(line), "'", ""))
	var said []byte
	wiretest.Eventually(m.T, "done, or refused for good", func() bool {
		cmd := exec.CommandContext(m.Context(), m.binary, args[1:]...)
		cmd.Env = append(os.Environ(), "FEEDWIRE_STORE_REDIS="+redis, "FEEDWIRE_STORE_PREFIX="+prefix, "FEEDWIRE_DATA_DIR="+m.dir)
		var err error
		if said, err = cmd.CombinedOutput(); err != nil && !strings.Contains(string(said), "used this store") {
			m.Fatalf("%s: %v: %s", line, err, said)
		}
		return err == nil
	})
	return string(said)
}

// An installation goes the ways that docs/how-to/migrate.md tells, by its command lines. On each of them the daemon finds all as it was.
func goesOnElsewhere(t *testing.T, cluster *storetest.Cluster) {
	var lines []string
	for line := range strings.Lines(wiretest.ReadFile(t, "docs/how-to/migrate.md")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "feedwire migrate") {
			if runElsewhere[line] != "TestMigrate" {
				t.Errorf("%q is not said to be run here", line)
			}
			lines = append(lines, line)
		}
	}
	if len(lines) != 4 {
		t.Fatalf("docs/how-to/migrate.md has the lines %q", lines)
	}
	dry, spread, slot, home := lines[0], lines[1], lines[2], lines[3]
	types := []string{"production", "development"}
	first, last := storetest.RedisAOF(t), storetest.RedisTCP(t)
	m := &moving{t, wiretest.BuildBinary(t), filepath.Join(t.TempDir(), "data"), strings.NewReplacer(
		"redis+cluster://n1:6379,n2:6379", cluster.URL(), "redis://n4:6379", "redis://"+last.Addr(),
	)}
	web := wiretest.NewOrigin(t)
	url := web.URL + "/feed.xml"
	web.Set("/feed.xml", wiretest.Posts(3)...)
	var src feed.Source
	var signals []feed.Signal
	fetch := func(t *testing.T, d *daemon, holds int, guid string, seen int) {
		t.Helper()
		if _, guids, _ := d.fetch("production", wiretest.Facebook, nil); len(guids) != holds {
			t.Errorf("the feed holds %v, want %d", guids, holds)
		}
		wiretest.Eventually(t, fmt.Sprintf("%s seen %d times", guid, seen), func() bool {
			var a feed.Article
			d.do(http.MethodGet, "/api/v1/articles/"+feed.ArticleUUID(url, guid), nil, &a)
			return len(a.Feeds["production"].Impressions) == seen
		})
	}
	unchanged := func(t *testing.T, d *daemon) {
		t.Helper()
		if after := d.poll(src); after.Poll.Status != http.StatusNotModified || after.Poll.Entries != src.Poll.Entries || !after.Added.Equal(src.Added) {
			t.Errorf("a poll got %d, the source has %d entries and was added %v; want 304, %d and %v",
				after.Poll.Status, after.Poll.Entries, after.Added, src.Poll.Entries, src.Added)
		}
		if diff := cmp.Diff(signals, d.signals()); diff != "" {
			t.Errorf("the signals are others: %s", diff)
		}
	}

	t.Run("on one Redis", func(t *testing.T) {
		d := start(t, first, "")
		src = d.add(url, map[string]any{"publish": "auto"})
		wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
		fetch(t, d, 3, "p0", 1)
		fetch(t, d, 3, "p0", 2)
		signals = d.signals()
	})
	if says := m.migrate(dry, "unix://"+first.Addr(), ""); !strings.Contains(says, "would copy ") {
		t.Errorf("the dry run says %s", says)
	}
	raw := cluster.InShards(t, "", url)
	if keys := raw.Keys("*desk*"); len(keys) > 0 {
		t.Fatalf("the dry run left %v", keys)
	}
	m.migrate(spread, "unix://"+first.Addr(), "")
	raw.Check(types, feed.ImportAfter)

	t.Run("in parts", func(t *testing.T) {
		d := startAt(t, cluster.URL(), "", "", nil)
		unchanged(t, d)
		fetch(t, d, 3, "p0", 3)
		edited := wiretest.Posts(4) // one is new
		edited[1].Title = "Post 1, corrected"
		web.Set("/feed.xml", edited...)
		src = d.poll(src)
		wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 4 })
		now := d.signals()
		if !slices.EqualFunc(now[:len(signals)], signals, func(a, b feed.Signal) bool { return a.ID == b.ID }) || len(now) != len(signals)+2 {
			t.Fatalf("the signals went from %v to %v", signals, now)
		}
		kinds := map[string]feed.SignalKind{now[len(signals)].GUID: now[len(signals)].Kind, now[len(signals)+1].GUID: now[len(signals)+1].Kind}
		if want := map[string]feed.SignalKind{"p1": feed.PostModified, "p3": feed.PostCreated}; !cmp.Equal(kinds, want) {
			t.Errorf("what came is %v", kinds)
		}
		fetch(t, d, 4, "p0", 4)
		wiretest.Eventually(t, "imported", func() bool { return len(d.articles("feed=production&state=imported")) == 2 })
		signals = d.signals()
	})
	raw.Check(types, feed.ImportAfter)
	m.migrate(slot, cluster.URL(), "")
	storetest.NewRedigo(t, cluster.Masters[storetest.Home(route.Slot("{feedwire}:"))].Dial, "{feedwire}:").Check(types, feed.ImportAfter)
	m.migrate(home, cluster.URL(), "")

	t.Run("on one Redis again", func(t *testing.T) {
		d := startAt(t, "redis://"+last.Addr(), "", "", nil)
		unchanged(t, d)
		fetch(t, d, 2, "p1", 2) // of its new revision
		web.Set("/feed.xml", wiretest.Posts(5)...)
		if src = d.poll(src); src.Poll.Entries != 5 {
			t.Errorf("it has %d entries", src.Poll.Entries)
		}
		wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	})
	back := storetest.Commands(t, last.Dial)
	back.Check(types, feed.ImportAfter)
	ids := back.StringMap("HGETALL", url+":guidmap")
	was := storetest.Commands(t, first.Dial).StringMap("HGETALL", url+":guidmap")
	numbers := make(map[string]bool)
	for guid, id := range ids {
		if was[guid] != "" && was[guid] != id {
			t.Errorf("entry %s was %s and is %s", guid, was[guid], id)
		}
		numbers[id] = true
	}
	if len(numbers) != 5 {
		t.Errorf("five entries have the ids %v", ids)
	}
}

// While feedwire migrate works, neither the store that is copied nor the copy lets a daemon begin; killed, it goes on where it was.
func killedMigration(t *testing.T, cluster *storetest.Cluster) {
	from := storetest.RedisAOF(t)
	line := storetest.NewLine(t, from.Dial)
	raw := storetest.Commands(t, from.Dial)
	const more, prefix = 3000, "killed:"
	raw.Do("EVAL", "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'fetch:production:' .. i, i, 'EX', 3600) end", 0, more)
	binary := wiretest.BuildBinary(t)
	old := wiretest.NewProcess(t, binary, fmt.Sprintf("store: {redis: %q}", "unix://"+from.Addr()))
	next := wiretest.NewProcess(t, binary, fmt.Sprintf("store: {redis: %q, prefix: %q}", cluster.URL(), prefix))
	refuses := func(p *wiretest.Process, says string) {
		t.Helper()
		p.Start()
		ended := make(chan error, 1)
		go func() { ended <- p.Cmd.Wait() }()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(p.Log.String(), says) {
				t.Errorf("a daemon that starts ended with %v and said %s, want %q", err, p.Log, says)
			}
			p.Cmd = nil
		case <-time.After(wiretest.Patience):
			t.Fatalf("a daemon began: %s", p.Log)
		}
	}
	migrate := func() *exec.Cmd {
		return exec.CommandContext(t.Context(), binary, "migrate", "--store-redis", "redis://"+line.Addr(), "--to", cluster.URL(), "--to-prefix", prefix)
	}
	line.Disturb("latency", map[string]int{"latency": 50}) // sixty exchanges to copy, and as many to compare
	migrates := migrate()
	said, err := migrates.StderrPipe()
	if err == nil {
		err = migrates.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(said); lines.Scan(); {
		done, of := 0, 0
		if _, _ = fmt.Sscanf(lines.Text(), "%d of %d", &done, &of); 0 < done && done < of/2 {
			break
		}
	}
	if err := migrates.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	refuses(old, "being copied by feedwire migrate")
	refuses(next, "an incomplete copy")
	if err := migrates.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := migrates.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the command ended with %v", err)
	}
	there := cluster.InShards(t, prefix, "http://harbour.example/feed.xml")
	if copied := len(there.Keys("*fetch:production:*")); copied < 100 || copied >= more {
		t.Fatalf("it was killed with %d keys copied", copied)
	}

	line.Heal()
	if says, err := migrate().CombinedOutput(); err == nil || !strings.Contains(string(says), "15 s if it was killed") {
		t.Errorf("at once after the kill: %v, %s", err, says)
	}
	if left := raw.Int("PTTL", "closed"); left <= 0 || left > 15_000 {
		t.Errorf("the store stays closed for %d ms after the kill", left)
	}
	raw.Do("PEXPIRE", "closed", 1) // as those have passed
	wiretest.Eventually(t, "open again", func() bool { return raw.Int("EXISTS", "closed") == 0 })
	if says, err := migrate().CombinedOutput(); err != nil || !strings.Contains(string(says), "compared and identical") || strings.Contains(string(says), " 0 copied,") {
		t.Fatalf("%v: %s", err, says)
	}
	next.Start()
	next.Ready()
	if there.Int("EXISTS", "closed") != 0 || there.Int("EXISTS", "fetch:production:1") != 1 {
		t.Error("the mark is there still, or the keys are not")
	}
	old.Start()
	old.Ready()
}

func TestMigrateNeedsAPlace(t *testing.T) {
	t.Parallel()
	fails(t, cli.ExitUsage, "--to is required", "migrate")
	fails(t, cli.ExitUsage, "must begin with a tag", "migrate", "--store-redis", "redis://127.0.0.1:1", "--to", "redis+cluster://127.0.0.1:1", "--to-prefix", "news:{x}")
}
