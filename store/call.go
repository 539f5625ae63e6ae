package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/route"
)

//go:embed scripts
var scriptFiles embed.FS

// scripts are the Lua scripts by file name without ending.
type scripts map[string]*redis.Script

// dropGuard is what scripts of a cluster begin with: none of them knows of keys.guard.
const dropGuard = "table.remove(KEYS)\n"

func loadScripts(guarded bool) scripts {
	all := make(scripts)
	for name, text := range scriptTexts() {
		if guarded {
			text = dropGuard + text
		}
		all[name] = redis.NewScript(-1, text)
	}
	return all
}

// scriptTexts puts the scripts together: a line "-- part <name>" stands for the functions of scripts/parts/<name>.lua.
func scriptTexts() map[string]string {
	var parts []string // each line with what it stands for
	for name, text := range readScripts("scripts/parts") {
		parts = append(parts, "-- part "+name+"\n", text)
	}
	complete, all := strings.NewReplacer(parts...), readScripts("scripts")
	for name, text := range all {
		all[name] = complete.Replace(text)
	}
	return all
}

// readScripts are the files of a folder by name without ending.
func readScripts(folder string) map[string]string {
	paths, _ := fs.Glob(scriptFiles, folder+"/*.lua") // the pattern is good
	all := make(map[string]string, len(paths))
	for _, p := range paths {
		text, err := scriptFiles.ReadFile(p)
		if err != nil {
			panic(err) // embedded: cannot happen in a program that was built
		}
		all[strings.TrimSuffix(path.Base(p), ".lua")] = string(text)
	}
	return all
}

// run runs a script. A call that failed because its connection had died is sent once more, which is safe with each
// script but those that claim: it carries an id and answers what it answered the first time, or there is nothing left to do
// for it and only its counts differ.
func (s *Store) run(ctx context.Context, name string, keys, args []any) (any, error) {
	return s.call(ctx, name, s.script(name, keys, args))
}

// runOnce runs a script that would do something else the second time.
func (s *Store) runOnce(ctx context.Context, name string, keys, args []any) (any, error) {
	return s.callOnce(ctx, name, s.script(name, keys, args))
}

func (s *Store) script(name string, keys, args []any) func(redis.Conn) (any, error) {
	all := s.withKeys(keys, args)
	return func(c redis.Conn) (any, error) { return s.scripts[name].Do(c, all...) }
}

// withKeys is what a script is called with: the number of keys, the keys, and the arguments.
func (s *Store) withKeys(keys, args []any) []any {
	all := append(make([]any, 0, 2+len(keys)+len(args)), len(keys))
	all = append(all, keys...)
	if s.clustered {
		all[0] = len(keys) + 1
		all = append(all, s.keys.guard(keys[0].(string)))
	}
	return append(all, args...)
}

// runMany runs a script many times in one exchange, as run does once.
func (s *Store) runMany(ctx context.Context, name string, calls [][]any) ([]any, error) {
	return redis.Values(s.call(ctx, name, s.many(name, calls)))
}

// runManyOnce runs a script many times that would do something else the second time.
func (s *Store) runManyOnce(ctx context.Context, name string, calls [][]any) ([]any, error) {
	return redis.Values(s.callOnce(ctx, name, s.many(name, calls)))
}

// many sends calls of a script, each of which begins with its number of keys. Of a server that does not know the script yet
// they are refused, and come with its text.
func (s *Store) many(name string, calls [][]any) func(redis.Conn) (any, error) {
	script := s.scripts[name]
	return func(c redis.Conn) (any, error) {
		for _, args := range calls {
			if err := script.SendHash(c, args...); err != nil {
				return nil, err
			}
		}
		if err := c.Flush(); err != nil {
			return nil, err
		}
		replies, errs := make([]any, len(calls)), make([]error, len(calls))
		for i := range calls {
			if replies[i], errs[i] = c.Receive(); c.Err() != nil {
				return nil, errs[i]
			}
		}
		for i, args := range calls {
			if ClassOf(errs[i]) == ClassNoScript {
				replies[i], errs[i] = script.Do(c, args...)
			}
		}
		return replies, errors.Join(errs...)
	}
}

// do sends one command.
func (s *Store) do(ctx context.Context, command string, args ...any) (any, error) {
	return s.call(ctx, strings.ToLower(command), func(c redis.Conn) (any, error) { return c.Do(command, args...) })
}

// doFor sends one command that may block for up to wait on the server.
func (s *Store) doFor(ctx context.Context, wait time.Duration, command string, args ...any) (any, error) {
	return s.call(ctx, strings.ToLower(command), func(c redis.Conn) (any, error) {
		return redis.DoWithTimeout(c, wait+s.opts.Timeout, command, args...)
	})
}

// batch collects the commands of one pipeline.
type batch struct{ commands [][]any }

func (b *batch) add(command string, args ...any) {
	b.commands = append(b.commands, append([]any{command}, args...))
}

// pipelineSize bounds the commands that are on their way at once, and with them the memory for replies.
const pipelineSize = 1000

// pipeline sends the commands that fill adds, and returns their replies in order. The first error reply ends it.
func (s *Store) pipeline(ctx context.Context, op string, fill func(*batch)) ([]any, error) {
	var b batch
	fill(&b)
	replies := make([]any, 0, len(b.commands))
	for len(b.commands) > 0 {
		part := b.commands[:min(pipelineSize, len(b.commands))]
		b.commands = b.commands[len(part):]
		got, err := s.call(ctx, op, func(c redis.Conn) (any, error) { return exchange(c, part) })
		if err != nil {
			return nil, err
		}
		replies = append(replies, got.([]any)...)
	}
	return replies, nil
}

func exchange(c redis.Conn, commands [][]any) (any, error) {
	replies, err := converse(c, commands)
	if err != nil {
		return nil, err
	}
	return replies, refusedIn(replies)
}

// refusedIn is the first refusal among replies; nil: there is none.
func refusedIn(replies []any) error {
	for _, reply := range replies {
		if refused, ok := reply.(redis.Error); ok {
			return refused
		}
	}
	return nil
}

// converse sends commands and takes their replies. Where the server refuses one, its reply is a redis.Error.
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

// call borrows a connection for f, as often as twice says.
func (s *Store) call(ctx context.Context, op string, f func(redis.Conn) (any, error)) (any, error) {
	return s.twice(ctx, op, func() (any, error) { return s.try(ctx, f) })
}

// callOnce borrows a connection for f once.
func (s *Store) callOnce(ctx context.Context, op string, f func(redis.Conn) (any, error)) (any, error) {
	return s.once(op, func() (any, error) { return s.try(ctx, f) })
}

// twice is once with a second try where the connection had died.
func (s *Store) twice(ctx context.Context, op string, do func() (any, error)) (any, error) {
	reply, err := s.once(op, do)
	if ClassOf(err) == ClassClosed && ctx.Err() == nil {
		return s.once(op, do)
	}
	return reply, err
}

// once counts and times what it does, and gives its error a class.
func (s *Store) once(op string, do func() (any, error)) (any, error) {
	if why := s.shut.Load(); why != nil && op != "check" {
		return nil, &Error{Op: strings.ReplaceAll(op, "_", " "), Class: ClassEmptied, Err: *why}
	}
	start := time.Now()
	reply, err := do()
	class := ClassOf(err)
	s.metrics.observe(op, class, time.Since(start))
	if err != nil {
		return nil, &Error{Op: strings.ReplaceAll(op, "_", " "), Class: class, Err: err}
	}
	return reply, nil
}

// try borrows a connection for f.
func (s *Store) try(ctx context.Context, f func(redis.Conn) (any, error)) (any, error) {
	return s.tryAt(ctx, s.pool, f)
}

// tryAt borrows a connection of a pool for f.
func (s *Store) tryAt(ctx context.Context, pool route.Pool, f func(redis.Conn) (any, error)) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	c, err := pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // it goes back to the pool, which drops it after an error
	return f(c)
}
