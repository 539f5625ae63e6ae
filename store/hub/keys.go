package hub

import (
	"strconv"

	"github.com/feedwire/feedwire/store/core"
)

// keys builds the keys of this package.
type keys struct{ core.Keyspace }

func (k keys) cursor() string               { return k.Key("hub:cursor") }
func (k keys) ahead() string                { return k.Key("hub:ahead") }
func (k keys) requests() string             { return k.Key("hub:requests") }
func (k keys) dueRequests() string          { return k.Key("hub:verify") }
func (k keys) claimed(owner string) string  { return k.Key("hub:asking:" + owner) }
func (k keys) subscriptions() string        { return k.Key("hub:subscriptions") }
func (k keys) leases() string               { return k.Key("hub:leases") }
func (k keys) health() string               { return k.Key("hub:health") }
func (k keys) paused() string               { return k.Key("hub:paused") }
func (k keys) idle() string                 { return k.Key("hub:idle") }
func (k keys) attempts() string             { return k.Key("hub:attempts") }
func (k keys) replays() string              { return k.Key("hub:replays") }
func (k keys) readers() string              { return k.Key("hub:readers") }
func (k keys) topics() string               { return k.Key("hub:topics") }
func (k keys) filters() string              { return k.Key("hub:filters") }
func (k keys) topic(id string) string       { return k.Key("hub:topic:" + id) }
func (k keys) subscribers(id string) string { return k.Key("hub:topic:" + id + ":subs") }
func (k keys) pings(id string) string       { return k.Key("hub:topic:" + id + ":pings") }
func (k keys) versions(id string) string    { return k.Key("hub:topic:" + id + ":versions") }
func (k keys) days(id string) string        { return k.Key("hub:topic:" + id + ":days") }
func (k keys) document(id string) string    { return k.Key("hub:document:" + id) }
func (k keys) planning() string             { return k.Key("hub:planning") }
func (k keys) ready() string                { return k.Key("hub:ready") }
func (k keys) later() string                { return k.Key("hub:later") }
func (k keys) claims() string               { return k.Key("hub:claims") }
func (k keys) daemons() string              { return k.Key("hub:daemons") }
func (k keys) open() string                 { return k.Key("hub:open") }
func (k keys) openDue() string              { return k.Key("hub:open:due") }
func (k keys) openChecks() string           { return k.Key("hub:open:checks") }
func (k keys) openBytes() string            { return k.Key("hub:open:bytes") }
func (k keys) openClients() string          { return k.Key("hub:open:clients") }
func (k keys) openSubscriptions() string    { return k.Key("hub:open:subscriptions") }
func (k keys) publicURLs() string           { return k.Key("hub:urls") }
func (k keys) deadLetters() string          { return k.Key("hub:dead") }

// bodies begins the keys of the versions of a topic.
func (k keys) bodies(topicID string) string { return k.Key("hub:body:" + topicID + ":") }

func (k keys) body(topicID string, version int64) string {
	return k.bodies(topicID) + strconv.FormatInt(version, 10)
}

// host returns the hash that counts the subscriptions of a host, and its field there. Many small hashes take less memory than
// one key for each host.
func (k keys) host(id string) (key, field string) { return k.Key("hub:hosts:" + id[:2]), id[2:] }
