package core

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/gomodule/redigo/redis"
)

// Batch is a list of commands. An error reply to one of them fails the batch, unless the batch returns it.
type Batch struct {
	commands [][]any
	scripts  map[string]*Script // that the commands call, by hash
	returned []Class            // the error replies that are returned, as a redis.Error in the place of the reply
}

// Add appends a command.
func (b *Batch) Add(command string, args ...any) {
	b.commands = append(b.commands, append([]any{command}, args...))
}

// AddFields appends HMGET of some fields of a hash.
func (b *Batch) AddFields(key string, fields []any) {
	b.commands = append(b.commands, append([]any{"HMGET", key}, fields...))
}

// AddScript appends a call of a script that is safe to repeat. All keys must belong to one Keyspace.
func (db *DB) AddScript(b *Batch, script *Script, keys, args []any) {
	if b.scripts == nil {
		b.scripts = make(map[string]*Script)
	}
	b.scripts[script.hash] = script
	b.commands = append(b.commands, db.evalsha(script, keys, args))
}

// ReturnDamage makes the error replies of keys that hold another type replies.
func (b *Batch) ReturnDamage() { b.returned = []Class{ClassWrongType} }

// ReturnErrors makes all error replies replies.
func (b *Batch) ReturnErrors() { b.returned = classes() }

// PipelineSize bounds the commands of one exchange of Pipeline, and with them the memory for replies.
const PipelineSize = 1000

// Pipeline sends the commands that fill adds, at most PipelineSize at a time, and returns their replies in order. The first
// error reply that the batch does not return ends it.
func (db *DB) Pipeline(ctx context.Context, op string, fill func(*Batch)) (Replies, error) {
	var b Batch
	fill(&b)
	replies := make(Replies, 0, len(b.commands))
	for commands := range slices.Chunk(b.commands, PipelineSize) {
		got, err := db.Exchange(ctx, op, &Batch{commands, b.scripts, b.returned})
		if err != nil {
			return nil, err
		}
		replies = append(replies, got...)
	}
	return replies, nil
}

// Exchange sends all commands at once and returns their replies in order.
func (db *DB) Exchange(ctx context.Context, op string, b *Batch) (Replies, error) {
	return redis.Values(db.Call(ctx, op, func(c redis.Conn) (any, error) {
		replies, err := execute(c, b.commands, func(i int) *Script { return b.scripts[b.commands[i][1].(string)] })
		if err == nil {
			err = refusal(replies, b.returned...)
		}
		return replies, err
	}))
}

// Stream sends all commands at once and calls use with each reply as it arrives, so that one reply at a time is in memory. An error
// reply is passed on as a redis.Error. If the connection is closed, the retry calls use from the first reply again.
func (db *DB) Stream(ctx context.Context, op string, b *Batch, use func(i int, reply any) error) error {
	var stopped error
	_, err := db.Call(ctx, op, func(c redis.Conn) (any, error) {
		return nil, receive(c, b.commands, func(i int, reply any) error {
			stopped = use(i, reply)
			return stopped
		})
	})
	return cmp.Or(stopped, err)
}

// exchange sends commands and returns their replies. An error reply is returned in the place of its reply, as a redis.Error. If the
// connection fails, the replies before that are returned with the error.
func exchange(c redis.Conn, commands [][]any) ([]any, error) {
	replies := make([]any, 0, len(commands))
	err := receive(c, commands, func(_ int, reply any) error {
		replies = append(replies, reply)
		return nil
	})
	return replies, err
}

// receive sends commands and calls use with each reply.
func receive(c redis.Conn, commands [][]any, use func(i int, reply any) error) error {
	for _, cmd := range commands {
		if err := c.Send(cmd[0].(string), cmd[1:]...); err != nil {
			return err
		}
	}
	if err := c.Flush(); err != nil {
		return err
	}
	for i := range commands {
		reply, err := c.Receive()
		if refused, ok := errors.AsType[redis.Error](err); ok {
			reply, err = refused, nil
		}
		if err == nil {
			err = use(i, reply)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refusal is the first error reply among replies that is of no class in allowed.
func refusal(replies []any, allowed ...Class) error {
	for _, reply := range replies {
		if refused, ok := reply.(redis.Error); ok && !slices.Contains(allowed, ClassOf(refused)) {
			return refused
		}
	}
	return nil
}
