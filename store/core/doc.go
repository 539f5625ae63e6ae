// Package core runs commands and scripts against Redis for the packages of store. It knows about connections, retries, error
// classes, metrics, the key layout, and the installation that the data belongs to. It knows nothing about sources, entries,
// articles or people.
//
// A noun of the store holds a DB and loads its own scripts. For every key it names the owner (a source, an entry, the hub or
// the desk) and gets a Keyspace, which builds the key. One script may use the keys of one Keyspace only.
//
// # Keys
//
// In the default layout a key is the prefix and a name. In the layout for a Redis Cluster a hash tag follows the prefix:
//
//	{p00} … {p63}   sources by host: SHA-256 of feed.Host(URL), first byte modulo 64, with their entries
//	{u00} … {u63}   users by id modulo 64
//	{hub}           the hub, and the stream that all readers of signals follow
//	{desk}          everything else
//
// A prefix that itself begins with a tag, as in {feedwire}:, keeps the default layout: all keys are in one slot.
//
// A script appends a signal to the outbox of its source, or of the desk, the stream named signals in its Keyspace, because it uses
// the keys of one Keyspace only. In the sharded layout outboxes are merged into the stream signals at the hub, in the order of each
// outbox and every record once. Records stay in the outbox for a minute, so that a failing master does not take both copies with it.
// The hash signals:gathered at the hub holds how far each outbox is merged, and by its field installation it is noticed if the
// hub's node has lost its keys.
//
// Core itself uses these keys at the desk:
//
//	activity:<n>           hash     what happened in minute <n> since 1970: polls, failed (of them), created, modified (entries),
//	                                signals, published, impressions, imported (articles); TTL 2 h. Each Keyspace has one of its own
//	schema                 integer  version of the layout; a newer one is refused, an older one upgraded
//	installation           string   id of the installation, made at its first start
//	closed                 string   why no daemon may work here: "restore" and of which backup, while that is being written; "copy" and
//	                                of which installation, while that is incomplete; "migrate" and by whom, while it is copied from
//	                                here: TTL 15 s, the others none
//	ready                  string   test write of the readiness check; TTL 60 s
//
// # Connections of our own
//
// Package route, not mna/redisc or FZambia/sentinel, finds the server: see there.
package core
