package feed

import "time"

// OverviewMinutes is the length of Overview.Minutes.
const OverviewMinutes = 60

// Overview is the state of the whole installation.
type Overview struct {
	Sources       map[SourceState]int
	Late          int             // polls that were due before OverviewQuery.Late
	Alarms        int             // sources that are gone or have OverviewQuery.Alarm consecutive failures
	Alarming      []Source        // the first of them: gone ones, then those with the most failures
	Feeds         []OutgoingState // of OverviewQuery.Types; Published has the articles of Blocked that are published
	Hub           HubState        // without Lag
	StoredSignals int             // stored signals
	Signals       []Signal        // newest first, posts without content
	OldestPending time.Time       // oldest signal that a reader of the outbox has not processed; zero: none
	Imports       []Job           // that are not finished
	Minutes       []Minute        // OverviewMinutes of them, the current one last
	Redis         RedisState
}

// OverviewQuery selects the content of an Overview.
type OverviewQuery struct {
	Types   []string            // outgoing feeds
	Blocked map[string][]string // by feed, UUIDs of blocked articles
	Late    time.Time
	Alarm   int
	Sources int // maximum in Alarming
	Signals int
	Visits  int // of each feed
	Imports int
}

// Minute counts the events of one minute.
type Minute struct {
	Polls, Failed         int // Polls includes Failed
	Created, Modified     int // entries
	Signals               int // sent
	Published             int // articles
	Impressions, Imported int // of articles
}

// Plus returns the sum of two minutes.
func (m Minute) Plus(o Minute) Minute {
	return Minute{
		m.Polls + o.Polls, m.Failed + o.Failed, m.Created + o.Created, m.Modified + o.Modified, m.Signals + o.Signals,
		m.Published + o.Published, m.Impressions + o.Impressions, m.Imported + o.Imported,
	}
}

// RedisState is the state of Redis.
type RedisState struct {
	WriteError              string    // why writes fail: a value of the result label of feedwire_redis_commands_total; empty: they succeed
	MemoryUsed, MemoryLimit int64     // bytes; 0: unknown, or no limit
	AppendOnly              bool      // appendonly is enabled
	Saved                   time.Time // last snapshot; zero: unknown
	DiskFails               bool      // the last write to disk failed
}
