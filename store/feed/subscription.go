package feed

import (
	"crypto/sha256"
	"encoding/base32"
	"net/url"
	"strings"
	"time"
)

// Way is how news reaches a subscriber.
type Way string

// The ways.
const (
	WayWebSub  Way = "websub"  // the document, with links and signature (WebSub section 7)
	WayWebhook Way = "webhook" // signals as JSON, signed by the Standard Webhooks specification
	WayPing    Way = "ping"    // hub.mode=publish, to another hub
)

// Ways lists all ways.
func Ways() []Way { return []Way{WayWebSub, WayWebhook, WayPing} }

// Subscription is the standing wish of a callback to hear of a topic. One topic and callback have one. Callback and
// secret are not to be logged or shown: who knows them can take the subscription over; Hint is for people.
type Subscription struct {
	ID       string        // SubscriptionID(Topic, Callback)
	Topic    string        // URL
	Callback string        // as the subscriber wrote it
	Way      Way           //
	Secret   string        // of the signature, any bytes; empty: none
	Method   string        // of the signature: "sha256" ...; empty: the hub's
	Lease    time.Duration // as it was announced; 0: no end
	Since    time.Time     // of its confirmation, the last one where it was renewed
	Until    time.Time     // end of the lease; zero: none
	Next     int64         // the version of the topic that it gets next
	Waiting  bool          // there is such a version
	Paused   bool          // by a person: nothing is sent
	Readers  int           // for whom it says it is (PubSubHubbub 0.3 section 7.4), which nobody checks; 0: it does not say
	Health   Health        // zero: the last delivery was taken
}

// Health is how deliveries to a callback fail. The zero value is good health.
type Health struct {
	Failures int       // in a row
	Since    time.Time // of the first of them
	Last     time.Time // of the last of them
	Status   int       // HTTP status of the last; 0: no answer
	Reason   string    // class of the last: a value of the result label of feedwire_hub_deliveries_total
	Next     time.Time // of the next try; zero: with the next version
}

// hostLetters is how much of a subscription's id says which host it delivers to.
const hostLetters = 6

var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// SubscriptionID is the name of a subscription: 16 letters and digits. The first six are HostID of the callback, so that
// the ids in order are grouped by host.
func SubscriptionID(topic, callback string) string {
	sum := sha256.Sum256([]byte(topic + "\x00" + callback))
	return HostID(callback) + strings.ToLower(letters.EncodeToString(sum[:])[:16-hostLetters])
}

// HostID names the host whose patience deliveries to a callback use up, see Host. Rarely two hosts share one; they then
// share their limits too.
func HostID(callback string) string {
	sum := sha256.Sum256([]byte(Host(callback)))
	return strings.ToLower(letters.EncodeToString(sum[:])[:hostLetters])
}

// HostID is the host of the subscription's callback.
func (s *Subscription) HostID() string { return s.ID[:min(hostLetters, len(s.ID))] }

// Hint names the callback for people without giving it away: its host, and the first letters of the id.
func (s *Subscription) Hint() string {
	u, err := url.Parse(s.Callback)
	if err != nil {
		return s.ID
	}
	return u.Host + "/…" + s.ID[len(s.ID)-min(4, len(s.ID)):]
}

// HubMode is what a request to the hub is about.
type HubMode string

// The modes that lead to a GET at the callback (WebSub sections 5.2 and 5.3).
const (
	HubSubscribe   HubMode = "subscribe"
	HubUnsubscribe HubMode = "unsubscribe"
	HubDenied      HubMode = "denied" // our own wish: the subscriber is told, and its subscription ends
)

// HubRequest is a wish that is not carried out yet: the callback has to confirm it, or is to be told. It lives apart from
// the subscription, which stays as it is until then.
type HubRequest struct {
	ID          string        // given by the store
	Mode        HubMode       //
	Topic       string        // URL
	As          string        // the topic as the subscriber spells it, which is how it is named to it; empty: as Topic
	Callback    string        //
	Secret      string        //
	Method      string        // of the signature; empty: the hub's
	Lease       time.Duration // granted
	VerifyToken string        // PubSubHubbub 0.3: to be echoed; empty: none
	Reason      string        // of a denial, told to the subscriber
	Asked       time.Time     // when the request came; set by the store
	Tries       int           // GETs that came to nothing
}

// Subscription is the id of the subscription that the request is about.
func (r *HubRequest) Subscription() string { return SubscriptionID(r.Topic, r.Callback) }

// HubCounts is how much of what is bounded there is.
type HubCounts struct {
	Total    int // subscriptions
	OfTopic  int // subscriptions of one topic
	OfHost   int // subscriptions that deliver to one host
	Requests int // requests not carried out yet, of all hosts
}
