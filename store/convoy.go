package store

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"github.com/gomodule/redigo/redis"
)

// longestConvoy bounds how many calls travel together.
const longestConvoy = 128

// convoy lets calls of scripts travel together: those that come while others are on their way go in the next pipeline.
// Each is carried out by itself, and nothing waits for company, but when many come at once they share the round trip and
// the write to the server's disk.
type convoy struct {
	mu      sync.Mutex
	moving  bool
	waiting []*passenger
}

// passenger is one call in a convoy.
type passenger struct {
	script *redis.Script
	args   []any
	reply  any
	err    error
	turn   chan bool // true: the reply is there; false: it is to lead the next convoy
}

// runTogether is run for short scripts that are called often.
func (s *Store) runTogether(ctx context.Context, name string, keys, args []any) (any, error) {
	all := s.withKeys(keys, args)
	return s.twice(ctx, name, func() (any, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := &passenger{script: s.scripts[name], args: all, turn: make(chan bool, 1)}
		s.ride(p)
		return p.reply, p.err
	})
}

// ride returns when the passenger has its reply.
func (s *Store) ride(p *passenger) {
	c := &s.convoy
	c.mu.Lock()
	c.waiting = append(c.waiting, p)
	leads := !c.moving
	c.moving = true
	c.mu.Unlock()
	if !leads && <-p.turn {
		return
	}

	runtime.Gosched() // who is ready to come along gets here first
	c.mu.Lock()       // the leader is the first that waits
	n := min(len(c.waiting), longestConvoy)
	group := c.waiting[:n:n]
	c.waiting = c.waiting[n:]
	c.mu.Unlock()

	s.carry(group)

	c.mu.Lock()
	c.moving = len(c.waiting) > 0
	if c.moving {
		c.waiting[0].turn <- false
	}
	c.mu.Unlock()
	for _, other := range group[1:] {
		other.turn <- true
	}
}

// carry sends a convoy and reads its replies. The whole has the time of one command, as each of them would have had.
func (s *Store) carry(group []*passenger) {
	arrived := 0
	_, err := s.try(context.Background(), func(conn redis.Conn) (any, error) {
		for _, p := range group {
			if err := p.script.SendHash(conn, p.args...); err != nil {
				return nil, err
			}
		}
		if err := conn.Flush(); err != nil {
			return nil, err
		}
		for _, p := range group {
			if p.reply, p.err = conn.Receive(); conn.Err() != nil {
				return nil, p.err
			}
			arrived++
		}
		for _, p := range group {
			if p.err != nil && strings.HasPrefix(p.err.Error(), "NOSCRIPT") {
				p.reply, p.err = p.script.Do(conn, p.args...) // sends its text
			}
		}
		return nil, nil
	})
	for _, p := range group[arrived:] {
		p.reply, p.err = nil, err
	}
}
