package feed

import "time"

// SourceStates counts sources and names those that need attention.
type SourceStates struct {
	Sources  map[SourceState]int
	Late     int      // overdue polls
	Alarms   int      // sources that are gone or keep failing
	Alarming []Source // the first of them: gone ones, then those with the most failures
}

// OutboxState is the state of the stored signals.
type OutboxState struct {
	Stored        int
	OldestPending time.Time // oldest signal that a consumer group has not processed; zero: none
}

// OverviewMinutes is the number of minutes in which events are counted.
const OverviewMinutes = 60

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

// Counts contains the number of stored objects. Zero counts may be missing from the maps.
type Counts struct {
	Sources  map[SourceState]int      `json:"sources"`
	Articles map[string]map[State]int `json:"articles"` // by outgoing feed
	Inbox    int                      `json:"inbox"`    // articles without a decision
	Entries  int                      `json:"entries"`
	Signals  int                      `json:"signals"` // in the outbox
}
