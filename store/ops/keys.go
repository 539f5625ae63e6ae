package ops

import "github.com/feedwire/feedwire/store/core"

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) job(id string) string     { return k.Key("job:" + id) }
func (k keys) results(id string) string { return k.Key("job:" + id + ":results") }
func (k keys) work(id string) string    { return k.Key("job:" + id + ":work") }
func (k keys) jobs() string             { return k.Key("jobs") }
