package core_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

// BenchmarkRunBatched compares RunBatched with Run for many goroutines, on a Redis that writes every command to disk.
func BenchmarkRunBatched(b *testing.B) {
	db := storetest.DB(b, core.Options{Dial: storetest.RedisAOF(b).Dial})
	script := db.NewScript("save", "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[1])")
	for name, run := range map[string]func(context.Context, *core.Script, []any, []any) (any, error){"run": db.Run, "batched": db.RunBatched} {
		for _, callers := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("%s/%d", name, callers), func(b *testing.B) {
				var n atomic.Int64
				b.SetParallelism(callers)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := run(b.Context(), script, []any{"saved"}, []any{n.Add(1)}); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
