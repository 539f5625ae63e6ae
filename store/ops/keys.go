package ops

import "github.com/feedwire/feedwire/store/core"

// Families are the keys of this package.
func Families() []core.Family {
	return []core.Family{
		{Pattern: "job:<id>", Home: core.AtDesk},
		{Pattern: "job:<id>:results", Home: core.AtDesk},
		{Pattern: "job:<id>:work", Home: core.AtDesk},
		{Pattern: "jobs", Home: core.AtDesk},
	}
}

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) job(id string) string     { return k.Key("job:" + id) }
func (k keys) results(id string) string { return k.Key("job:" + id + ":results") }
func (k keys) work(id string) string    { return k.Key("job:" + id + ":work") }
func (k keys) jobs() string             { return k.Key("jobs") }
