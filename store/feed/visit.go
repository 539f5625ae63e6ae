package feed

import "time"

// VisitsKept is how many visits of an outgoing feed are remembered.
const VisitsKept = 2000

// Visit is one request for an outgoing feed.
type Visit struct {
	Time    time.Time
	Client  string // the kind of client: a value of the client label of feedwire_feed_requests_total
	Status  int    // HTTP
	Counted bool   // its articles get an impression, once the client has proved to have them all
}

// OutgoingState is what is in an outgoing feed, and who came for it.
type OutgoingState struct {
	Articles map[State]int // without those that were never out
	Out      []Article     // the published ones, newest first, without content; only where they were asked for
	Visits   []Visit       // the last ones, newest first
	Changed  time.Time     // when an article last came to a state; only in an Overview
	Oldest   time.Time     // since when the oldest published one is out; only in an Overview, zero: none is
}
