package core

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"
)

//go:embed scripts fragments
var files embed.FS

// Script is a Lua script. Its name is the operation in metrics and errors.
type Script struct {
	name, text string
	lua        *redis.Script
}

// Text is the source of the script with its fragments.
func (s *Script) Text() string { return s.text }

// Scripts are the scripts of one noun by file name without suffix.
type Scripts map[string]*Script

// Names are the names of all scripts.
func (s Scripts) Names() []string { return slices.Collect(maps.Keys(s)) }

// dropGuard begins every script in a cluster, whose first key is Layout.guard.
const dropGuard = "table.remove(KEYS)\n"

// LoadScripts reads scripts/*.lua. A line "-- fragment <name>" is replaced by scripts/fragments/<name>.lua, or by a fragment of
// this package: count.
func (db *DB) LoadScripts(noun fs.FS) Scripts {
	var fragments []string // each line followed by its text
	for _, folder := range []map[string]string{readLua(files, "fragments"), readLua(noun, "scripts/fragments")} {
		for name, text := range folder {
			fragments = append(fragments, "-- fragment "+name+"\n", text)
		}
	}
	replacer, all := strings.NewReplacer(fragments...), make(Scripts)
	for name, text := range readLua(noun, "scripts") {
		text = replacer.Replace(text)
		if db.opts.EditScript != nil {
			text = db.opts.EditScript(name, text)
		}
		all[name] = db.NewScript(name, text)
	}
	return all
}

// NewScript returns a script with a text.
func (db *DB) NewScript(name, text string) *Script {
	lua := text
	if db.clustered {
		lua = dropGuard + text
	}
	return &Script{name, text, redis.NewScript(-1, lua)}
}

// readLua reads the scripts of a folder, by name without suffix.
func readLua(files fs.FS, folder string) map[string]string {
	paths, _ := fs.Glob(files, folder+"/*.lua") // the pattern is valid
	all := make(map[string]string, len(paths))
	for _, p := range paths {
		text, err := fs.ReadFile(files, p)
		if err != nil {
			panic(err) // embedded files can be read
		}
		all[strings.TrimSuffix(path.Base(p), ".lua")] = string(text)
	}
	return all
}

// Run executes a script that is safe to repeat, and retries it once if the connection was closed. All keys must belong to one
// Keyspace.
func (db *DB) Run(ctx context.Context, script *Script, keys, args []any) (any, error) {
	all := db.arguments(keys, args)
	return db.Call(ctx, script.name, func(c redis.Conn) (any, error) { return script.lua.Do(c, all...) })
}

// RunOnce executes a script that is not safe to repeat.
func (db *DB) RunOnce(ctx context.Context, script *Script, keys, args []any) (any, error) {
	all := db.arguments(keys, args)
	return db.callOnce(ctx, script.name, func(c redis.Conn) (any, error) { return script.lua.Do(c, all...) })
}

// Invocation is one call of a script, with keys of one Keyspace.
type Invocation struct{ Keys, Args []any }

// RunMany executes a script several times in one exchange, and retries that once if the connection was closed.
func (db *DB) RunMany(ctx context.Context, script *Script, calls []Invocation) ([]any, error) {
	return redis.Values(db.Call(ctx, script.name, db.many(script, calls)))
}

// RunManyOnce is RunMany for a script that is not safe to repeat.
func (db *DB) RunManyOnce(ctx context.Context, script *Script, calls []Invocation) ([]any, error) {
	return redis.Values(db.callOnce(ctx, script.name, db.many(script, calls)))
}

// many sends every call by hash. Calls that the server refuses because it does not know the script are sent again with its text.
func (db *DB) many(script *Script, calls []Invocation) func(redis.Conn) (any, error) {
	all := make([][]any, len(calls))
	for i, call := range calls {
		all[i] = db.arguments(call.Keys, call.Args)
	}
	return func(c redis.Conn) (any, error) {
		for _, args := range all {
			if err := script.lua.SendHash(c, args...); err != nil {
				return nil, err
			}
		}
		if err := c.Flush(); err != nil {
			return nil, err
		}
		replies, errs := make([]any, len(all)), make([]error, len(all))
		for i := range all {
			if replies[i], errs[i] = c.Receive(); c.Err() != nil {
				return nil, errs[i]
			}
		}
		for i, args := range all {
			if ClassOf(errs[i]) == ClassNoScript {
				replies[i], errs[i] = script.lua.Do(c, args...)
			}
		}
		return replies, errors.Join(errs...)
	}
}

// arguments are the number of keys, the keys, and the arguments, as EVALSHA takes them.
func (db *DB) arguments(keys, args []any) []any {
	all := append(make([]any, 0, 2+len(keys)+len(args)), len(keys))
	all = append(all, keys...)
	if db.clustered {
		all[0] = len(keys) + 1
		all = append(all, db.guard(keys[0].(string)))
	}
	return append(all, args...)
}
