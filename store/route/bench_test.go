package route_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/address"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkClusterPipeline measures what a pipeline across nodes saves, for one command to each of 64 shards.
func BenchmarkClusterPipeline(b *testing.B) {
	c := benchConn(b, storetest.NewCluster(b, false).URL())
	const shards = 64
	b.Run("pipeline", func(b *testing.B) {
		for b.Loop() {
			for i := range shards {
				_ = c.Send("GET", fmt.Sprintf("{p%02d}", i))
			}
			if err := c.Flush(); err != nil {
				b.Fatal(err)
			}
			for range shards {
				if _, err := c.Receive(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			for i := range shards {
				if _, err := c.Do("GET", fmt.Sprintf("{p%02d}", i)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkRoleAtEachBorrow measures a command with and without a check of the role of its server.
func BenchmarkRoleAtEachBorrow(b *testing.B) {
	c := benchConn(b, storetest.RedisTCP(b).URL())
	get := func(b *testing.B) {
		if _, err := c.Do("GET", "key"); err != nil && !errors.Is(err, redis.ErrNil) {
			b.Fatal(err)
		}
	}
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			get(b)
		}
	})
	b.Run("with", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Do("ROLE"); err != nil {
				b.Fatal(err)
			}
			get(b)
		}
	})
}

func benchConn(b *testing.B, url string) redis.Conn {
	b.Helper()
	at, err := address.Parse(url)
	if err != nil {
		b.Fatal(err)
	}
	p, err := route.New(at, route.Options{Size: poolSize, Timeout: patience})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	c, err := p.GetContext(context.Background()) // also for the end of the benchmark
	if err != nil {
		b.Fatal(err)
	}
	return c
}
