package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomodule/redigo/redis"
)

// Shared is how many keys and arguments come first in each call of a script that executes many calls at once, and are the same for all of
// them.
type Shared struct{ Keys, Args int }

// RunJoined is RunBatched for a script that executes many calls at once and returns a list with the reply to each. Calls of a batch with the same
// shared keys and arguments become one: those, and then the other keys and arguments of each call. The script must be safe to repeat: if it
// fails, each call is executed alone.
func (db *DB) RunJoined(ctx context.Context, script *Script, call Invocation, shared Shared) (any, error) {
	return db.batched(ctx, script, call, &shared)
}

// maxJoined bounds how many calls become one, because Redis executes nothing else meanwhile.
const maxJoined = 32

// joinedCall is one call of a script for all of its submissions.
type joinedCall []*submission

// join returns the calls that a batch takes, in the order of the batch.
func join(batch []*submission) (calls []joinedCall) {
	for i, s := range batch {
		if last := len(calls) - 1; i > 0 && len(calls[last]) < maxJoined && s.joins(batch[i-1]) {
			calls[last] = append(calls[last], s)
		} else {
			calls = append(calls, joinedCall{s})
		}
	}
	return calls
}

// joins reports whether one call executes two submissions.
func (s *submission) joins(other *submission) bool {
	return s.shared != nil && s.script == other.script && slices.Equal(s.call.Keys[:s.shared.Keys], other.call.Keys[:s.shared.Keys]) &&
		slices.Equal(s.call.Args[:s.shared.Args], other.call.Args[:s.shared.Args])
}

// command returns the command of the call.
func (c joinedCall) command(db *DB) []any {
	first := c[0].call
	if len(c) == 1 {
		return db.evalsha(c[0].script, first.Keys, first.Args)
	}
	keys, args := make([]any, 0, len(c)*len(first.Keys)), make([]any, 0, len(c)*len(first.Args))
	keys, args = append(keys, first.Keys...), append(args, first.Args...)
	for _, s := range c[1:] {
		keys, args = append(keys, s.call.Keys[s.shared.Keys:]...), append(args, s.call.Args[s.shared.Args:]...)
	}
	return db.evalsha(c[0].script, keys, args)
}

// settle gives each submission its reply. If the call failed and has several, it returns a call for each of them.
func (c joinedCall) settle(reply any) (again []joinedCall) {
	refused, failed := reply.(redis.Error)
	switch {
	case failed && len(c) > 1:
		for _, s := range c {
			again = append(again, joinedCall{s})
		}
	case failed:
		c.fail(refused)
	case c[0].shared == nil:
		c[0].reply = reply
	default:
		parts, _ := reply.([]any)
		if len(parts) != len(c) {
			c.fail(fmt.Errorf("script %s returned %d replies for %d calls", c[0].script.name, len(parts), len(c)))
			return nil
		}
		for i, s := range c {
			s.reply = parts[i]
		}
	}
	return again
}

// fail ends all submissions with an error.
func (c joinedCall) fail(err error) {
	for _, s := range c {
		s.err = err
	}
}
