package core

import (
	"context"
	"errors"

	"github.com/gomodule/redigo/redis"
)

// Batch is a list of commands.
type Batch struct{ commands [][]any }

// Add appends a command.
func (b *Batch) Add(command string, args ...any) {
	b.commands = append(b.commands, append([]any{command}, args...))
}

// Len is the number of commands.
func (b *Batch) Len() int { return len(b.commands) }

// PipelineSize bounds the commands of one exchange of Pipeline, and with them the memory for replies.
const PipelineSize = 1000

// Pipeline sends the commands that fill adds, at most PipelineSize at a time, and returns their replies in order. The first
// error reply ends it.
func (db *DB) Pipeline(ctx context.Context, op string, fill func(*Batch)) ([]any, error) {
	var b Batch
	fill(&b)
	replies := make([]any, 0, len(b.commands))
	for len(b.commands) > 0 {
		some := b.commands[:min(PipelineSize, len(b.commands))]
		b.commands = b.commands[len(some):]
		got, err := db.Exchange(ctx, op, &Batch{some})
		if err != nil {
			return nil, err
		}
		replies = append(replies, got...)
	}
	return replies, nil
}

// Exchange sends all commands at once and returns their replies in order. An error reply is an error.
func (db *DB) Exchange(ctx context.Context, op string, b *Batch) ([]any, error) {
	return db.ExchangeRequired(ctx, op, b, len(b.commands))
}

// ExchangeRequired is Exchange if only the first commands are required: the error reply of another command is returned in the
// place of its reply, as a redis.Error.
func (db *DB) ExchangeRequired(ctx context.Context, op string, b *Batch, required int) ([]any, error) {
	reply, err := db.Call(ctx, op, func(c redis.Conn) (any, error) {
		replies, err := converse(c, b.commands)
		if err != nil {
			return nil, err
		}
		for _, reply := range replies[:required] {
			if refused, ok := reply.(redis.Error); ok {
				return nil, refused
			}
		}
		return replies, nil
	})
	if err != nil {
		return nil, err
	}
	return reply.([]any), nil
}

// converse sends commands and reads their replies, error replies included.
func converse(c redis.Conn, commands [][]any) ([]any, error) {
	for _, cmd := range commands {
		if err := c.Send(cmd[0].(string), cmd[1:]...); err != nil {
			return nil, err
		}
	}
	if err := c.Flush(); err != nil {
		return nil, err
	}
	replies := make([]any, len(commands))
	for i := range commands {
		reply, err := c.Receive()
		var refused redis.Error
		switch {
		case errors.As(err, &refused):
			replies[i] = refused
		case err != nil:
			return nil, err
		default:
			replies[i] = reply
		}
	}
	return replies, nil
}
