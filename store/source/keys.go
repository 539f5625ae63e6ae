package source

import "github.com/feedwire/feedwire/store/core"

// Sorted sets by due time, which core divides among the sources.
const (
	dueSet     = "sched:due"
	pushDueSet = "push:due"
)

// keys builds the keys of one source, and of the sets that list it.
type keys struct {
	core.Keyspace
	feedURL string
}

func (s *Store) of(feedURL string) keys { return keys{s.db.Source(feedURL), feedURL} }

func (k keys) feeds() string               { return k.Key("feeds") }
func (k keys) meta() string                { return k.Key(k.feedURL + ":meta") }
func (k keys) polls() string               { return k.Key(k.feedURL + ":polls") }
func (k keys) due() string                 { return k.Key(dueSet) }
func (k keys) unwell() string              { return k.Key("sched:unwell") }
func (k keys) lease() string               { return k.Key("sched:lease") }
func (k keys) added() string               { return k.Key("sched:added") }
func (k keys) host(host string) string     { return k.Key("host:" + host) }
func (k keys) push() string                { return k.Key(k.feedURL + ":push") }
func (k keys) leaving(token string) string { return k.Key("push:leaving:" + token) }
func (k keys) pushTokens() string          { return k.Key("push:tokens") }
func (k keys) pushDue() string             { return k.Key(pushDueSet) }

// Keys of package entry that remove_source.lua deletes.
func (k keys) sort() string    { return k.Key(k.feedURL + ":sort") }
func (k keys) guidmap() string { return k.Key(k.feedURL + ":guidmap") }
func (k keys) dead() string    { return k.Key(k.feedURL + ":dead") }
func (k keys) alias() string   { return k.Key(k.feedURL + ":alias") }

func (k keys) saved() string     { return k.Key(k.feedURL + ":saved") }
func (k keys) takedowns() string { return k.Key(k.feedURL + ":takedowns") }
func (k keys) deleted() string   { return k.Key(k.feedURL + ":deleted") }

// removed returns the key of the settings of a source that was removed.
func (s *Store) removed(id string) string { return s.db.Desk().Key("removed:" + id) }
