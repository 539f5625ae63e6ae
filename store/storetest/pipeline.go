package storetest

import (
	"testing"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/route"
)

// Command is a raw Redis command.
type Command []any

// Pipeline sends raw commands over a connection with the buffers of a store. A benchmark compares a store with it.
type Pipeline struct {
	Conn redis.Conn
	b    *testing.B
}

// NewPipeline opens a connection and closes it when the benchmark ends.
func NewPipeline(b *testing.B, dial core.DialFunc) *Pipeline {
	b.Helper()
	c, err := dial(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	conn := redis.NewConn(route.Buffered(c), 0, 0)
	b.Cleanup(func() { _ = conn.Close() })
	return &Pipeline{conn, b}
}

// Run sends all commands and then reads all replies.
func (p *Pipeline) Run(commands ...Command) {
	p.b.Helper()
	for _, c := range commands {
		if err := p.Conn.Send(c[0].(string), c[1:]...); err != nil {
			p.b.Fatal(err)
		}
	}
	replies, err := redis.Values(p.Conn.Do("")) // sends nothing and reads all pending replies
	if err != nil {
		p.b.Fatal(err)
	}
	for i, reply := range replies {
		if err, failed := reply.(redis.Error); failed {
			p.b.Fatalf("%v: %v", commands[i][0], err)
		}
	}
}

// Do sends one command and returns its reply.
func (p *Pipeline) Do(command string, args ...any) any {
	p.b.Helper()
	reply, err := p.Conn.Do(command, args...)
	if err != nil {
		p.b.Fatalf("%s: %v", command, err)
	}
	return reply
}

// EachDurability runs a benchmark on a Redis without persistence, and on one that writes to disk before it replies, as the embedded
// one does.
func EachDurability(b *testing.B, bench func(b *testing.B, dial core.DialFunc)) {
	b.Helper()
	b.Run("memory", func(b *testing.B) { bench(b, Redis(b)) })
	b.Run("disk", func(b *testing.B) { bench(b, RedisAOF(b).Dial) })
}
