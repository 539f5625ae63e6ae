package article

import (
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) article(uuid string) string  { return k.Key("article:" + uuid) }
func (k keys) content(uuid string) string  { return k.Key("article:" + uuid + ":content") }
func (k keys) versions(uuid string) string { return k.Key("article:" + uuid + ":versions") }
func (k keys) impressions(uuid, typ string) string {
	return k.Key("article:" + uuid + ":impressions:" + typ)
}
func (k keys) articles() string            { return k.Key("articles") }
func (k keys) inbox() string               { return k.Key("inbox") }
func (k keys) dismissed() string           { return k.Key("dismissed") }
func (k keys) removals() string            { return k.Key("removals") }
func (k keys) version(typ string) string   { return k.Key("version:" + typ) }
func (k keys) visits(typ string) string    { return k.Key("visits:" + typ) }
func (k keys) fetch(typ, id string) string { return k.Key("fetch:" + typ + ":" + id) }
func (k keys) request(id string) string    { return k.Key("request:" + id) }
func (k keys) undo(id string) string       { return k.Key("undo:" + id) }

// audit belongs to package people.
func (k keys) audit(uuid string) string { return k.Key("article:" + uuid + ":deeds") }

// placed returns the set of the articles in a state. Unpublished articles are in none.
func (k keys) placed(state feed.State, typ string) string { return k.Key(string(state) + "_" + typ) }

// sets returns the sets of all states of a feed, in the order in which scripts name them.
func (k keys) sets(typ string) []any {
	return []any{
		k.placed(feed.StatePublished, typ), k.placed(feed.StateImported, typ), k.placed(feed.StateExpired, typ),
		k.placed(feed.StateWithdrawn, typ),
	}
}

// placement lists the keys of an article in a feed, as place_article and undo_placement name them.
func (k keys) placement(uuid, typ string) []any {
	keys := append([]any{k.article(uuid), k.articles(), k.version(typ), k.impressions(uuid, typ)}, k.sets(typ)...)
	return append(keys, k.inbox(), k.dismissed())
}
