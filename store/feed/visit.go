package feed

import "time"

// MaxVisits bounds the stored visits of an outgoing feed.
const MaxVisits = 2000

// Visit is one request for an outgoing feed.
type Visit struct {
	Time    time.Time `json:"time" redis:"time"`
	Client  string    `json:"client" redis:"client"`   // kind of client: a value of the client label of feedwire_feed_requests_total
	Status  int       `json:"status" redis:"status"`   // HTTP
	Counted bool      `json:"counted" redis:"counted"` // its articles get impressions once complete delivery is proven
}

// OutgoingState is the content of an outgoing feed and its visits.
type OutgoingState struct {
	Articles  map[State]int // without those that were never out
	Published []Article     // newest first, without content; only if requested
	Visits    []Visit       // newest first
	Changed   time.Time     // last change of the state of an article; zero: none
	Oldest    time.Time     // publication of the oldest published article; zero: none
}

// LastCounted returns the time of the newest counted visit; zero: none. Visits are ordered newest first.
func LastCounted(visits []Visit) time.Time {
	for i := range visits {
		if visits[i].Counted {
			return visits[i].Time
		}
	}
	return time.Time{}
}
