package entry

import "github.com/feedwire/feedwire/store/core"

// keys builds the keys of the entries of one source.
type keys struct {
	core.Keyspace
	feedURL string
}

func (s *Store) of(feedURL string) keys { return keys{s.db.Source(feedURL), feedURL} }

func (k keys) ids() string            { return k.Key("ids:Entry") }
func (k keys) entry(id string) string { return k.Key(id) } // id is "Entry:5"
func (k keys) sort() string           { return k.Key(k.feedURL + ":sort") }
func (k keys) guidmap() string        { return k.Key(k.feedURL + ":guidmap") }
func (k keys) alias() string          { return k.Key(k.feedURL + ":alias") }
func (k keys) dead() string           { return k.Key(k.feedURL + ":dead") }
func (k keys) takedowns() string      { return k.Key(k.feedURL + ":takedowns") }
func (k keys) deleted() string        { return k.Key(k.feedURL + ":deleted") }
func (k keys) saved() string          { return k.Key(k.feedURL + ":saved") }

// Keys of package source that save_entries.lua uses.
func (k keys) meta() string  { return k.Key(k.feedURL + ":meta") }
func (k keys) lease() string { return k.Key("sched:lease") }
