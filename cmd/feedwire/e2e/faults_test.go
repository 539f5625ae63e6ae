//go:build faults

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// fault is one line of docs/reference/faults.md.
type fault struct {
	name    string
	promise string
	store   whereabouts
	before  func(*trial) // runs before the daemon starts; nil disables it
	strike  func(*trial)
	mend    func(*trial) // nil: the fault ends with strike
	down    bool         // readiness must report the fault
	flicker bool         // readiness may report the fault
	dies    bool         // the daemon itself dies; readiness is not checked
	lossy   bool         // the server loses acknowledged writes
}

// whereabouts is the location of the Redis of a trial.
type whereabouts int

const (
	shared  whereabouts = iota // on this machine
	faraway                    // behind a proxy that disturbs the connection
	private                    // the private Redis of the daemon
)

// Limits of the promises.
const (
	noticed   = 5 * time.Second // until readiness reports the failure
	recovered = 5 * time.Second // until readiness reports the recovery
	complains = 30              // maximum log lines per second
	growth    = 12              // of goroutines and files, for the pool of connections
)

const (
	outage = "Feeds are served, polls and signals wait; nothing is lost or doubled"
	unseen = "No visible effect; nothing is lost or doubled"
	rough  = "Calls are retried; a call that was applied without a reply is not applied twice"
)

// faults returns the faults of Redis, its connection and the daemon.
func faults() []fault {
	return []fault{
		{
			name: "Redis is killed and returns after 3 s", promise: outage, down: true,
			strike: func(tr *trial) { tr.redis.Kill() }, mend: func(tr *trial) { tr.redis.Restart() },
		}, {
			name: "Redis hangs for 5 s", promise: outage, down: true,
			strike: func(tr *trial) { tr.redis.Stop(); tr.news(2 * time.Second) }, mend: func(tr *trial) { tr.redis.Cont() },
		}, {
			name: "Redis runs a foreign script for 4 s", promise: outage, down: true, strike: busy, mend: unbusy,
		}, {
			name: "Redis is out of memory", promise: outage, down: true,
			strike: configure("maxmemory", "1"), mend: configure("maxmemory", "0"),
		}, {
			name: "Redis becomes a replica", promise: outage, down: true,
			strike: command("REPLICAOF", "127.0.0.1", "1"), mend: command("REPLICAOF", "NO", "ONE"),
		}, {
			name: "Redis wants another password for 3 s", promise: outage, down: true, strike: lock, mend: unlock,
		}, {
			name: "Redis loses its script cache, ten times", promise: unseen, strike: func(tr *trial) {
				for range 10 {
					command("SCRIPT", "FLUSH")(tr)
					tr.news(300 * time.Millisecond)
				}
			},
		}, {
			name: "Redis is emptied, then restored", down: true, lossy: true, strike: empty, mend: fill,
			promise: "Feeds are served and the loss is reported; the daemon continues when the data is back",
		}, {
			name: "The private Redis is killed and its log truncated by 1 to 200 bytes, three times", store: private, lossy: true, flicker: true,
			promise: "Redis continues with the intact part; the truncated part comes again from the source, entry and signal together",
			strike: func(tr *trial) {
				for range 3 {
					tr.Signal(syscall.SIGSTOP) // otherwise it restarts Redis at once
					tr.killChild()
					cut := 1 + rand.Int64N(200)
					tr.T.Logf("cut by %d bytes", cut)
					storetest.CutLog(tr.T, filepath.Join(tr.data(), "redis"), cut)
					tr.Signal(syscall.SIGCONT)
					tr.news(1500 * time.Millisecond)
				}
			},
		}, {
			name: "The private Redis is killed, three times", store: private, flicker: true,
			promise: "The daemon restarts it; nothing is lost or doubled", strike: func(tr *trial) {
				for range 3 {
					tr.killChild()
					tr.news(1500 * time.Millisecond)
				}
			},
		}, {
			name: "The disk is full", store: private, before: smallDisk, down: true, strike: fillDisk, mend: freeDisk,
			promise: "Feeds are served; Redis is restarted until there is space; nothing is lost or doubled",
		}, {
			name: "Replies are delayed by 200 to 400 ms", promise: unseen, store: faraway, flicker: true, // the line is another one then
			strike: disturb("latency", map[string]int{"latency": 300, "jitter": 100}), mend: heal,
		}, {
			name: "Replies arrive in fragments of a few bytes", promise: unseen, store: faraway, flicker: true,
			strike: disturb("slicer", map[string]int{"average_size": 20, "size_variation": 10, "delay": 100}), mend: heal,
		}, {
			name: "Connections break within replies", promise: rough, store: faraway, flicker: true,
			strike: disturb("limit_data", map[string]int{"bytes": 700}), mend: heal,
		}, {
			name: "Connections are reset before a reply", promise: outage, store: faraway, down: true,
			strike: disturb("reset_peer", map[string]int{"timeout": 50}), mend: heal,
		}, {
			name: "Replies are lost", promise: outage, store: faraway, down: true,
			strike: disturb("timeout", map[string]int{"timeout": 3000}), mend: heal,
		}, {
			name: "The daemon is killed, six times", store: private, dies: true,
			promise: "It continues where it stopped; nothing is lost or doubled", strike: func(tr *trial) {
				for range 6 {
					tr.news(time.Duration(200+rand.IntN(1200)) * time.Millisecond)
					tr.Kill()
					tr.Start(tr.environ...)
				}
				tr.Ready()
			},
		},
	}
}

// faultsOfClocks returns the jumps of wall clocks under load.
func faultsOfClocks() []fault {
	const promise = "Nothing is lost or doubled; polls, pushes, deliveries, retries and jobs continue within a minute"
	var all []fault
	for _, j := range []struct {
		name string
		by   time.Duration
	}{{"an hour forward", time.Hour}, {"an hour back", -time.Hour}, {"a day forward", day}, {"a day back", -day}} {
		all = append(all, fault{
			name: "Under load, the clock of the machine jumps " + j.name, promise: promise, store: private, flicker: true,
			before: func(tr *trial) { tr.onClock((*wiretest.Clock).EnvironmentOfAll) },
			strike: setClock(j.by),
		})
		if j.by.Abs() == day {
			all = append(all, fault{
				name: "Under load, the clock of the daemon jumps " + j.name + ", that of Redis does not", promise: promise,
				before: func(tr *trial) { tr.onClock((*wiretest.Clock).Environment) },
				strike: setClock(j.by),
			}, fault{
				name: "Under load, the clock of Redis jumps " + j.name + ", that of the daemon does not", promise: promise, store: private, flicker: true,
				before: func(tr *trial) { tr.onClock((*wiretest.Clock).EnvironmentOfC) },
				strike: setClock(j.by),
			})
		}
	}
	for _, c := range []struct {
		name  string
		ahead time.Duration
	}{{"an hour ahead", time.Hour}, {"an hour behind", -time.Hour}, {"a day ahead", day}, {"a day behind", -day}} {
		all = append(all, fault{
			name: "Beside another daemon whose clock is " + c.name + ", and which is killed", promise: promise,
			before: func(tr *trial) { tr.onClock((*wiretest.Clock).Environment) }, strike: beside(c.ahead),
		})
	}
	return all
}

func command(name string, args ...any) func(*trial) {
	return func(tr *trial) { storetest.Commands(tr.T, tr.redis.Dial).Do(name, args...) }
}

// lock changes the password and ends all connections.
func lock(tr *trial) {
	redis := storetest.Commands(tr.T, tr.redis.Dial)
	redis.Do("CONFIG", "SET", "requirepass", "sesame")
	redis.Do("CLIENT", "KILL", "SKIPME", "yes")
}

func unlock(tr *trial) {
	redis := storetest.Commands(tr.T, tr.redis.Dial)
	redis.Do("AUTH", "sesame")
	redis.Do("CONFIG", "SET", "requirepass", "")
}

// empty copies all keys and deletes them with FLUSHALL, atomically.
func empty(tr *trial) {
	tr.emptied = storetest.Commands(tr.T, tr.redis.Dial).Strings("EVAL", `
		local all = {}
		for _, key in ipairs(redis.call('KEYS', '*')) do
			table.insert(all, key)
			table.insert(all, redis.call('DUMP', key))
		end
		redis.call('FLUSHALL')
		return all`, 0)
}

// fill restores the copy atomically, without TTLs.
func fill(tr *trial) {
	args := []any{`for i = 1, #ARGV, 2 do redis.call('RESTORE', ARGV[i], 0, ARGV[i + 1], 'REPLACE') end`, 0}
	for _, text := range tr.emptied {
		args = append(args, text)
	}
	storetest.Commands(tr.T, tr.redis.Dial).Do("EVAL", args...)
}

func configure(option, value string) func(*trial) { return command("CONFIG", "SET", option, value) }

func disturb(kind string, attributes map[string]int) func(*trial) {
	return func(tr *trial) { tr.line.Disturb(kind, attributes) }
}

func heal(tr *trial) { tr.line.Heal() }

// busy blocks the server with an endless script.
func busy(tr *trial) {
	configure("lua-time-limit", "200")(tr)
	conn, err := tr.redis.Dial(context.Background())
	if err != nil {
		tr.T.Fatal(err)
	}
	tr.T.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprint(conn, "EVAL \"while true do end\" 0\r\n"); err != nil {
		tr.T.Fatal(err)
	}
	time.Sleep(time.Second) // other calls receive BUSY
}

func unbusy(tr *trial) { command("SCRIPT", "KILL")(tr) }

// killChild kills the private Redis of the daemon.
func (tr *trial) killChild() {
	tr.T.Helper()
	var pid int
	text, err := os.ReadFile(filepath.Join(tr.data(), "redis", "server-pid"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		tr.T.Fatal(err)
	}
	wiretest.Eventually(tr.T, "dead", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

// data is the directory of the daemon.
func (tr *trial) data() string { return filepath.Join(filepath.Dir(tr.Config), "data") }

// smallDisk gives the daemon a disk of its own, which takes root.
func smallDisk(tr *trial) {
	dir := tr.data()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m,mode=700")
	}
	if err != nil {
		tr.T.Skipf("NOT RUN: a small disk cannot be mounted (%v): this takes root", err)
	}
	tr.T.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			tr.T.Error(err)
		}
	})
}

func (tr *trial) ballast() string { return filepath.Join(tr.data(), "ballast") }

func fillDisk(tr *trial) {
	f, err := os.Create(tr.ballast())
	if err != nil {
		tr.T.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !strings.Contains(err.Error(), "no space left") {
		tr.T.Fatal(err)
	}
	for err = nil; err == nil; { // the last page
		_, err = f.Write([]byte{0})
	}
}

func freeDisk(tr *trial) {
	if err := os.Remove(tr.ballast()); err != nil {
		tr.T.Fatal(err)
	}
}

// seen is what a trial came to.
type seen struct {
	fault   *fault
	figures string
}

// report collects what the trials came to.
type report struct {
	mu  sync.Mutex
	all []seen
}

func (r *report) add(f *fault, figures string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, seen{f, figures})
}

func (r *report) String() string {
	var b strings.Builder
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "\nfault\tpromised\tseen")
	for _, s := range r.all {
		fmt.Fprintf(lines, "%s\t%s\t%s\n", s.fault.name, s.fault.promise, s.figures)
	}
	_ = lines.Flush()
	return b.String()
}

// Each fault befalls a daemon at work. It goes on answering that it lives, says that it is not ready within five seconds
// and that it is ready again within five seconds after the end, does not spin or leak, works off what has come meanwhile,
// and keeps its promises.
func TestFaults(t *testing.T) {
	t.Parallel()
	binary, clocked, r := wiretest.BuildBinary(t), wiretest.BuildOnClock(t), &report{}
	t.Run("all", func(t *testing.T) {
		for _, f := range faults() {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				defer func() {
					if t.Skipped() {
						r.add(&f, "NOT RUN: it takes root")
					}
				}()
				newTrial(t, &f, binary).run(r)
			})
		}
		for _, f := range faultsOfClocks() {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				newTrial(t, &f, clocked).run(r)
			})
		}
		for _, j := range jumps() {
			t.Run(j.name, func(t *testing.T) {
				t.Parallel()
				j.test(t, r)
			})
		}
		t.Run(storm.name, func(t *testing.T) {
			t.Parallel()
			testStorm(t, binary, r)
		})
	})
	t.Log(r)
}

// The table in docs/reference/faults.md equals the faults and promises of the tests.
func TestFaultsAreDocumented(t *testing.T) {
	all := append(faults(), faultsOfClocks()...)
	for _, j := range jumps() {
		all = append(all, j.fault)
	}
	all = append(all, storm)
	var want strings.Builder
	for _, f := range all {
		fmt.Fprintf(&want, "| %s | %s |\n", f.name, f.promise)
	}
	text, err := os.ReadFile("../../../docs/reference/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "|---|---|\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	if diff := cmp.Diff(want.String(), rows+"\n"); diff != "" {
		t.Errorf("docs/reference/faults.md has other faults than the tests (-tests +docs):\n%s", diff)
	}
}

// run runs one fault.
func (tr *trial) run(r *report) {
	tr.news(time.Second)
	tr.settled()
	goroutines, files := tr.holds()
	tr.watch = newWatch(tr.T, tr.Address)
	defer tr.watch.end()

	struck := time.Now()
	tr.fault.strike(tr)
	figures := ""
	if tr.fault.down {
		took := tr.watch.until(503, struck)
		figures = fmt.Sprintf("down seen after %v, ", took.Round(10*time.Millisecond))
		if took > noticed {
			tr.T.Errorf("it was ready for %v", took)
		}
	}
	if tr.fault.mend != nil {
		tr.news(3*time.Second - min(2*time.Second, time.Since(struck)/4))
		tr.fault.mend(tr)
	}
	mended := time.Now()
	back := tr.watch.until(200, mended)
	if figures += fmt.Sprintf("ready %v after its end, ", back.Round(10*time.Millisecond)); back > recovered {
		tr.T.Errorf("it was ready %v after the end of it", back)
	}
	tr.news(500 * time.Millisecond)
	tr.settled()
	drained := time.Since(mended)

	if n := tr.watch.others("/healthz", struck); n > 0 && !tr.fault.dies {
		tr.T.Errorf("%d times it did not answer that it lives", n)
	}
	if n := tr.watch.others("/readyz", struck); n > 0 && !tr.fault.down && !tr.fault.flicker && !tr.fault.dies {
		tr.T.Errorf("%d times it was not ready", n)
	}
	worst := tr.Log.Busiest(struck)
	if worst >= complains {
		tr.T.Errorf("%d lines of complaint in a second", worst)
	}
	if !tr.fault.dies {
		wiretest.Eventually(tr.T, "as it was", func() bool {
			g, f := tr.holds()
			return g <= goroutines+growth && f <= files+growth
		})
	}
	g, f := tr.holds()
	tr.judge()
	r.add(tr.fault, figures+fmt.Sprintf("worked off after %.1f s; %d posts, %d signals; at most %d log lines/s; goroutines %+d, files %+d",
		drained.Seconds(), len(tr.posts), len(tr.signals.got), worst, g-goroutines, f-files))
}

// holds is how many goroutines and files the daemon has.
func (tr *trial) holds() (goroutines, files int) {
	return int(scrape(tr.T, tr.Address, "go_goroutines", "")), int(scrape(tr.T, tr.Address, "process_open_fds", ""))
}
