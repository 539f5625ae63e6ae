package core

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Group is a consumer group of a stream. It is created when it is first read, and begins with the oldest record.
type Group struct {
	DB           *DB
	Op           string // counts its commands in metrics
	Stream, Name string
	Resumed      *sync.Map                   // groups and consumers that have read what they had not acknowledged; shared by the calls of Next
	Idle         func(context.Context) error // called before Next waits for new records; nil disables it
}

// Next returns up to limit records for a consumer: first those that it had not acknowledged before a restart or a broken connection, then
// those that any consumer has not acknowledged within Options.TakeOver, then new ones. If there are none it waits for the first one, up to
// wait. again reports that a consumer has read the records before.
func (g Group) Next(ctx context.Context, consumer string, limit int, wait time.Duration) (records []Record, again bool, err error) {
	again = true
	if _, resumed := g.Resumed.Load(g.key(consumer)); !resumed {
		if records, err = g.read(ctx, consumer, "0", limit, 0); err == nil {
			g.Resumed.Store(g.key(consumer), true)
		}
	}
	if err == nil && len(records) == 0 {
		records, err = g.takeOver(ctx, consumer, limit)
	}
	if err == nil && len(records) == 0 && g.Idle != nil {
		err = g.Idle(ctx)
	}
	if err == nil && len(records) == 0 {
		again = false
		records, err = g.read(ctx, consumer, ">", limit, wait)
	}
	if err != nil {
		g.Forget(consumer) // Redis may have assigned records to the consumer in the lost reply
	}
	return records, again, err
}

// Forget makes Next begin with what a consumer has not acknowledged.
func (g Group) Forget(consumer string) { g.Resumed.Delete(g.key(consumer)) }

func (g Group) key(consumer string) [2]string { return [2]string{g.Name, consumer} }

// read reads records of the group. The id "0" selects those that the consumer has not acknowledged, ">" those that no consumer has read.
func (g Group) read(ctx context.Context, consumer, id string, limit int, wait time.Duration) ([]Record, error) {
	args := []any{"GROUP", g.Name, consumer, "COUNT", limit}
	if wait > 0 {
		args = append(args, "BLOCK", wait.Milliseconds())
	}
	return g.create(ctx, func() ([]Record, error) {
		return StreamRecords(g.DB.DoBlocking(ctx, "xreadgroup", wait, "XREADGROUP", append(args, "STREAMS", g.Stream, id)...))
	})
}

// takeOver assigns to a consumer up to limit records that any consumer has not acknowledged in time.
func (g Group) takeOver(ctx context.Context, consumer string, limit int) ([]Record, error) {
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
