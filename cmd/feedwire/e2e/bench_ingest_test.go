package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkIngest lets the program and the floor take in 1,000 feeds of 30 entries, poll them again five times when
// nothing has changed, and once when every tenth has a new and an edited entry. Processor time is that of the program and
// its Redis. of-floor is a share of the floor's speed, where more is better; x-floor-cpu is a multiple of its processor
// time, where less is better. The floor, the origin, the program and two servers share the machine, so compare the ratios.
func BenchmarkIngest(b *testing.B) {
	const feeds, entries, unchanged = 1000, 30, 5
	origin := startBenchOrigin(b, feeds, entries)
	m := measures{}
	for b.Loop() {
		p, f := startProgram(b, benchRedis(b), ""), newFloor(b, origin.urls())
		first := p.measure(func() { p.load(origin) })
		limit := f.measure(f.pass)
		m.add("first-entries/s", feeds*entries/first.wall.Seconds())
		m.add("first-of-floor", limit.wall.Seconds()/first.wall.Seconds())
		m.add("first-x-floor-cpu", first.cpu.Seconds()/limit.cpu.Seconds())

		origin.span()
		var again spent
		for range unchanged {
			p.rest()
			again.add(p.measure(p.pollAll))
			m.add("same-feeds/s", feeds/origin.span().Seconds())
			f.pass()
			m.add("floor-same-feeds/s", feeds/origin.span().Seconds())
		}
		m.add("same-cpu-ms/feed", again.cpu.Seconds()*1000/feeds/unchanged)

		origin.change()
		m.add("changed-x-floor-cpu", p.measure(p.pollAll).cpu.Seconds()/f.measure(f.pass).cpu.Seconds())
		_, peak := p.memory()
		m.add("peak-MB", peak)
		p.stop()
	}
	m.report(b)
}

// BenchmarkIngestGrowth shows what a poll costs among few sources and among many.
func BenchmarkIngestGrowth(b *testing.B) {
	for _, feeds := range []int{100, 2000, 20000} {
		b.Run(strconv.Itoa(feeds), func(b *testing.B) {
			origin := startBenchOrigin(b, feeds, 2)
			passes := max(2, 2000/feeds)
			m := measures{}
			for b.Loop() {
				p := startProgram(b, benchRedis(b), "")
				m.add("first-cpu-ms/feed", p.measure(func() { p.load(origin) }).cpu.Seconds()*1000/float64(feeds))
				var again spent
				for range passes {
					p.rest()
					again.add(p.measure(p.pollAll))
				}
				m.add("same-cpu-ms/feed", again.cpu.Seconds()*1000/float64(feeds*passes))
				_, peak := p.memory()
				m.add("peak-MB", peak)
				p.stop()
			}
			m.report(b)
		})
	}
}

// measures are figures of several rounds by name.
type measures map[string][]float64

func (m measures) add(name string, value float64) { m[name] = append(m[name], value) }

// report tells the medians.
func (m measures) report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	for name, values := range m {
		slices.Sort(values)
		b.ReportMetric(values[len(values)/2], name)
	}
}

// spent is the time that something took.
type spent struct{ wall, cpu time.Duration }

func (s *spent) add(more spent) { s.wall, s.cpu = s.wall+more.wall, s.cpu+more.cpu }

// cpuClock reads the processor time of a process and of its Redis.
type cpuClock struct {
	b     *testing.B
	redis *storetest.Redigo
	own   func(*testing.B) time.Duration
}

var redisCPU = regexp.MustCompile(`used_cpu_(?:sys|user):([0-9.]+)`)

func (c *cpuClock) read() time.Duration {
	info, err := redis.String(c.redis.Do("INFO", "cpu"), nil)
	if err != nil {
		c.b.Fatal(err)
	}
	all := c.own(c.b)
	for _, match := range redisCPU.FindAllStringSubmatch(info, -1) {
		seconds, _ := strconv.ParseFloat(match[1], 64) // digits and a point
		all += time.Duration(seconds * float64(time.Second))
	}
	return all
}

// measure tells what work took.
func (c *cpuClock) measure(work func()) spent {
	before, begun := c.read(), time.Now()
	work()
	return spent{time.Since(begun), c.read() - before}
}

func (f *floor) measure(work func()) spent { return f.used.measure(work) }

// benchRedis starts a Redis that writes to disk every second.
func benchRedis(b *testing.B) *storetest.Server {
	b.Helper()
	server := storetest.RedisAOF(b)
	storetest.Commands(b, server.Dial).Do("CONFIG", "SET", "appendfsync", "everysec")
	return server
}

// benchToken is the token of an admin.
const benchToken = "a-token-for-the-benchmark"

// program is the real daemon without rate limits.
type program struct {
	*cpuClock
	api *client.Client
	cmd *exec.Cmd
	log bytes.Buffer
}

// startProgram starts it on a Redis, with more configuration.
func startProgram(b *testing.B, server *storetest.Server, more string) *program {
	b.Helper()
	if runtime.GOOS != "linux" {
		b.Skip("the processor time of another process is read from /proc")
	}
	dir, binary := b.TempDir(), wiretest.BuildBinary(b)
	config := filepath.Join(dir, "feedwire.yaml")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	text := fmt.Sprintf(`
listen: %s
data_dir: %s
store: {redis: "unix://%s"}
api: {token: `+benchToken+`}
fetch: {allow_networks: [127.0.0.0/8], host_delay: 0s, min_interval: 0s, workers: %d, push: never}
%s`, address, filepath.Join(dir, "data"), server.Addr(), benchWorkers, more)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	p := &program{
		api: client.New("http://"+address, benchToken, time.Minute),
		cmd: exec.CommandContext(context.Background(), binary, "serve", "--config", config),
	}
	p.cpuClock = &cpuClock{b, storetest.Commands(b, server.Dial), p.cpu}
	p.cmd.Stderr = &p.log
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.stop)
	p.until("ready", func() bool { return p.api.Call(b.Context(), http.MethodGet, "/readyz", nil, nil) == nil })
	return p
}

// stop ends the program; again it does nothing.
func (p *program) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.api.Http.CloseIdleConnections()
}

// until waits for something, two minutes at most.
func (p *program) until(what string, done func() bool) {
	p.b.Helper()
	for begun := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			p.b.Fatalf("not %s after two minutes\n%s", what, p.log.String()[max(0, p.log.Len()-2000):])
		}
	}
}

// load subscribes to the feeds, none of which goes out again, and waits for the entries of all.
func (p *program) load(o *originProcess) {
	p.b.Helper()
	if err := p.api.Call(p.b.Context(), http.MethodPost, "/api/v1/opml?feeds=", client.Raw(o.opml()), nil); err != nil {
		p.b.Fatal(err)
	}
	p.until("all added", func() bool { return p.redis.Int("HLEN", "feeds") == o.feeds })
	p.settle()
	if got := p.redis.Int("GET", "ids:Entry"); got != o.feeds*o.entries {
		p.b.Fatalf("%d entries are stored, want %d", got, o.feeds*o.entries)
	}
}

// pollAll polls all sources and waits for the end of that.
func (p *program) pollAll() {
	p.b.Helper()
	if err := p.api.Call(p.b.Context(), http.MethodPost, "/api/v1/sources/poll", nil, nil); err != nil {
		p.b.Fatal(err)
	}
	p.settle()
}

// settle waits until no poll is due or under way.
func (p *program) settle() {
	p.b.Helper()
	p.until("done", func() bool {
		soon := strconv.FormatInt(time.Now().Add(90*time.Second).Unix(), 10) // leases end before that
		return p.redis.Int("ZCOUNT", "sched:due", "-inf", soon) == 0 && p.redis.Int("HLEN", "sched:lease") == 0
	})
}

// allRead is 1 where each group of readers has read and acknowledged all signals.
const allRead = `
local last = redis.call('XREVRANGE', 'signals', '+', '-', 'COUNT', 1)[1][1]
for _, group in ipairs(redis.call('XINFO', 'GROUPS', 'signals')) do
  local state = {}
  for i = 1, #group, 2 do state[group[i]] = group[i + 1] end
  if state['pending'] > 0 or state['last-delivered-id'] ~= last then return 0 end
end
return 1`

// rest waits until the signals have been read, so that the next pass does not pay for the last one.
func (p *program) rest() {
	p.b.Helper()
	p.until("at rest", func() bool { return p.redis.Int("EVAL", allRead, 0) == 1 })
}

// cpu is the processor time of the program.
func (p *program) cpu(b *testing.B) time.Duration {
	b.Helper()
	return processCPU(b, p.cmd.Process.Pid)
}

// processCPU is the processor time of a process, in hundredths of a second.
func processCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11]) // fields 14 and 15 of proc(5)
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory is the memory of the program in megabytes, resident now and at the most.
func (p *program) memory() (rss, peak float64) {
	p.b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.b.Fatal(err)
	}
	of := func(name string) float64 {
		_, rest, _ := strings.Cut(string(status), name)
		kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		return kilobytes * 1024 / 1e6
	}
	return of("VmRSS:"), of("VmHWM:")
}
