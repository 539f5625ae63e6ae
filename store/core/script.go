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
	"sync"

	"github.com/gomodule/redigo/redis"
)

//go:embed scripts fragments
var files embed.FS

// Script is a Lua script. Its name is the operation in metrics and errors.
type Script struct {
	name string
	lua  string // the text that is sent
	hash string // of lua
	once bool   // it is not safe to repeat
}

// Scripts are the scripts of one noun by file name without suffix.
type Scripts map[string]*Script

// Once marks scripts that are not safe to repeat.
func (s Scripts) Once(names ...string) {
	for _, name := range names {
		s[name].once = true
	}
}

// dropGuard begins every script in a cluster, whose first key is Layout.guard.
const dropGuard = "table.remove(KEYS)\n"

// loaded holds the scripts of every noun that a store of this process has had, which follow from embedded files alone: composing them takes
// most of the time of New.
var loaded sync.Map // of loadedKey and Scripts, which are not changed

type loadedKey struct {
	noun      fs.FS
	clustered bool
}

// loadScripts returns the scripts of a noun.
func (db *DB) loadScripts(noun fs.FS, others ...fs.FS) Scripts {
	if db.Options().EditScript != nil {
		return db.composeScripts(noun, others)
	}
	key := loadedKey{noun, db.clustered}
	known, ok := loaded.Load(key)
	if !ok {
		known, _ = loaded.LoadOrStore(key, db.composeScripts(noun, others))
	}
	all := maps.Clone(known.(Scripts))
	for name, script := range all {
		own := *script // Once changes it
		all[name] = &own
	}
	return all
}

// composeScripts reads scripts/*.lua. A line "-- fragment <name>" is replaced by scripts/fragments/<name>.lua of the noun or of another one,
// or by a fragment of this package: count.
func (db *DB) composeScripts(noun fs.FS, others []fs.FS) Scripts {
	fragments := readLua(files, "fragments")
	for _, from := range append(others, noun) {
		maps.Copy(fragments, readLua(from, "scripts/fragments"))
	}
	all := make(Scripts)
	for name, text := range readLua(noun, "scripts") {
		text = insertFragments(text, fragments)
		if db.Options().EditScript != nil {
			text = db.Options().EditScript(name, text)
		}
		all[name] = db.newScript(name, text)
	}
	return all
}

// insertFragments replaces the lines of a script that name fragments.
func insertFragments(text string, fragments map[string]string) string {
	const line = "-- fragment "
	parts := strings.Split(text, line)
	for i, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		if fragment, known := fragments[name]; known {
			parts[i+1] = fragment + rest
		} else {
			parts[i+1] = line + part // a comment
		}
	}
	return strings.Join(parts, "")
}

// newScript returns a script with a text.
func (db *DB) newScript(name, text string) *Script {
	lua := text
	if db.clustered {
		lua = dropGuard + text
	}
	return &Script{name: name, lua: lua, hash: redis.NewScript(-1, lua).Hash()}
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

// Run executes a script. All keys must belong to one Keyspace.
func (db *DB) Run(ctx context.Context, script *Script, keys, args []any) (any, error) {
	replies, err := db.RunMany(ctx, script, []Invocation{{keys, args}})
	if err != nil {
		return nil, err
	}
	return replies[0], nil
}

// Invocation is one call of a script, with keys of one Keyspace.
type Invocation struct{ Keys, Args []any }

// RunMany executes a script several times in one exchange, and retries that once if the connection was closed and the script is safe
// to repeat.
func (db *DB) RunMany(ctx context.Context, script *Script, calls []Invocation) ([]any, error) {
	retry := db.withRetry
	if script.once {
		retry = db.try
	}
	return redis.Values(retry(ctx, script.name, func() (any, error) { return db.lend(ctx, db.pool, db.many(script, calls)) }))
}

func (db *DB) many(script *Script, calls []Invocation) func(redis.Conn) (any, error) {
	commands := make([][]any, len(calls))
	for i, call := range calls {
		commands[i] = db.evalsha(script, call.Keys, call.Args)
	}
	return func(c redis.Conn) (any, error) {
		replies, err := execute(c, commands, func(int) *Script { return script })
		if err == nil {
			err = refusal(replies)
		}
		return replies, err
	}
}

// evalsha returns the command that calls a script by its hash.
func (db *DB) evalsha(script *Script, keys, args []any) []any {
	command := append(make([]any, 0, 4+len(keys)+len(args)), "EVALSHA", script.hash, len(keys))
	command = append(command, keys...)
	if db.clustered {
		command[2] = len(keys) + 1
		command = append(command, db.guard(keys[0].(string)))
	}
	return append(command, args...)
}

// execute exchanges commands. Those of evalsha whose script the server does not know are sent again with its text.
func execute(c redis.Conn, commands [][]any, script func(i int) *Script) ([]any, error) {
	replies, err := exchange(c, commands)
	for i, reply := range replies {
		if refused, ok := reply.(redis.Error); err == nil && ok && ClassOf(refused) == ClassNoScript {
			eval := slices.Concat([]any{script(i).lua}, commands[i][2:])
			if replies[i], err = c.Do("EVAL", eval...); errors.As(err, &refused) {
				replies[i], err = refused, nil
			}
		}
	}
	return replies, err
}
