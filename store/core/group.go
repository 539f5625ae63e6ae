package core

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Group is a consumer group of a stream. It is created when it is first read, and begins with the oldest record.
type Group struct {
	DB           *DB
	Op           string // counts its commands in metrics
	Stream, Name string
}

// Read returns up to limit records for a consumer. The id "0" selects those that the consumer has not acknowledged, ">" those that no
// consumer has read; if there are none it waits for the first one, up to wait.
func (g Group) Read(ctx context.Context, consumer, id string, limit int, wait time.Duration) ([]Record, error) {
	args := []any{"GROUP", g.Name, consumer, "COUNT", limit}
	if wait > 0 {
		args = append(args, "BLOCK", wait.Milliseconds())
	}
	return g.create(ctx, func() ([]Record, error) {
		return StreamRecords(g.DB.DoBlocking(ctx, "xreadgroup", wait, "XREADGROUP", append(args, "STREAMS", g.Stream, id)...))
	})
}

// TakeOver assigns to a consumer up to limit records that any consumer has read, but not acknowledged within Options.TakeOver.
func (g Group) TakeOver(ctx context.Context, consumer string, limit int) ([]Record, error) {
	return g.create(ctx, func() ([]Record, error) {
		reply, err := redis.Values(g.DB.Do(ctx, g.Op, "XAUTOCLAIM",
			g.Stream, g.Name, consumer, g.DB.Options().TakeOver.Milliseconds(), NoSignal, "COUNT", limit))
		if err != nil {
			return nil, err
		}
		if len(reply) < 2 {
			return nil, fmt.Errorf("XAUTOCLAIM returned %d values", len(reply))
		}
		return Records(reply[1], nil)
	})
}

// create repeats a read that found no group after it has created the group.
func (g Group) create(ctx context.Context, read func() ([]Record, error)) ([]Record, error) {
	records, err := read()
	if err == nil || !strings.Contains(err.Error(), "NOGROUP") {
		return records, err
	}
	_, err = g.DB.Do(ctx, g.Op, "XGROUP", "CREATE", g.Stream, g.Name, "0", "MKSTREAM")
	if err != nil && !strings.Contains(err.Error(), "BUSYGROUP") { // else another daemon has just created it
		return nil, err
	}
	return read()
}
