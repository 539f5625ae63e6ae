package ops_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkBackup backs 100 MB of entries up, on disk, during writes. The limit is a bare client that dumps all keys a few
// hundred at a time and throws them away; an operation is an entry. held-s is how long a write had to wait at most,
// and cpu-s the processor time that this took, of Redis and of the benchmark.
func BenchmarkBackup(b *testing.B) {
	const entries = 24_000
	server := storetest.RedisAOF(b)
	s, raw := storetest.New(b, store.Options{Dial: server.Dial, Timeout: time.Minute}), storetest.NewPipeline(b, server.Dial)
	if err := s.Check(b.Context()); err != nil {
		b.Fatal(err)
	}
	save(b, s, storetest.Document(harbour, entries).Entries)
	file, err := os.Create(filepath.Join(b.TempDir(), "backup"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var held, cpu []float64
	size := int64(0)
	storetest.Race{
		Ours: func() {
			before := server.ProcessorTime() + storetest.ProcessorTime(b)
			held = append(held, longestWrite(b, server, func() {
				if _, err := file.Seek(0, io.SeekStart); err != nil {
					b.Fatal(err)
				}
				if _, err := s.Ops.Backup(b.Context(), file); err != nil {
					b.Fatal(err)
				}
			}).Seconds())
			cpu = append(cpu, (server.ProcessorTime() + storetest.ProcessorTime(b) - before).Seconds())
			if size, err = file.Seek(0, io.SeekCurrent); err != nil {
				b.Fatal(err)
			}
		},
		Limit: func() { dumpAll(b, raw) },
		Ops:   entries,
	}.Run(b)
	slices.Sort(held)
	slices.Sort(cpu)
	b.ReportMetric(held[len(held)/2], "held-s")
	b.ReportMetric(cpu[len(cpu)/2], "cpu-s")
	b.ReportMetric(float64(size)/1e6, "MB")
}

// dumpAll reads everything.
func dumpAll(b *testing.B, p *storetest.Pipeline) {
	b.Helper()
	for cursor := "0"; ; {
		reply, err := redis.Values(p.Conn.Do("SCAN", cursor, "COUNT", 200))
		var names []string
		if err == nil {
			_, err = redis.Scan(reply, &cursor, &names)
		}
		if err != nil {
			b.Fatal(err)
		}
		dumps := make([]storetest.Command, len(names))
		for i, name := range names {
			dumps[i] = storetest.Command{"DUMP", name}
		}
		p.Run(dumps...)
		if cursor == "0" {
			return
		}
	}
}

// longestWrite is how long a write took at most while something was done.
func longestWrite(b *testing.B, server *storetest.Server, do func()) time.Duration {
	b.Helper()
	p := storetest.NewPipeline(b, server.Dial)
	stop, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for {
			select {
			case <-stop:
				longest <- most
				return
			default:
			}
			begun := time.Now()
			if _, err := p.Conn.Do("INCR", "written"); err != nil {
				b.Error(err)
			}
			most = max(most, time.Since(begun))
		}
	}()
	do()
	close(stop)
	return <-longest
}
