package feed

import "time"

// MinutesKept is how many minutes Overview.Minutes goes back.
const MinutesKept = 60

// Overview is how the whole wire is doing.
type Overview struct {
	Sources  map[SourceState]int
	Late     int             // polls that should have begun before OverviewQuery.Late
	Alarms   int             // sources that are gone, or that have failed as often in a row as OverviewQuery.Alarm says
	Alarming []Source        // the first of them: those that are gone, then those that failed most, with what lists show
	Feeds    []OutgoingState // of OverviewQuery.Types; Out are those of Held that are published
	Hub      HubState        // without Lag
	Kept     int             // signals
	Signals  []Signal        // the newest, newest first, their posts without content
	Waits    time.Time       // since when the oldest signal waits that one of our own readers has not handled; zero: none does
	Imports  []Job           // that have not ended
	Minutes  []Minute        // MinutesKept of them, the current one last
	Redis    RedisState
}

// OverviewQuery is how much of each thing an Overview shall have.
type OverviewQuery struct {
	Types   []string            // outgoing feeds
	Held    map[string][]string // by feed, UUIDs of articles that it leaves out
	Late    time.Time
	Alarm   int
	Sources int // at most, in Alarming
	Signals int
	Visits  int // of each feed
	Imports int
}

// Minute is what happened in one minute.
type Minute struct {
	Polls, Failed         int // failed ones are among the polls
	Created, Modified     int // entries
	Signals               int // sent
	Published             int // articles, by people and by rule
	Impressions, Imported int // of articles
}

// Plus is the sum of two.
func (m Minute) Plus(o Minute) Minute {
	return Minute{
		m.Polls + o.Polls, m.Failed + o.Failed, m.Created + o.Created, m.Modified + o.Modified, m.Signals + o.Signals,
		m.Published + o.Published, m.Impressions + o.Impressions, m.Imported + o.Imported,
	}
}

// RedisState is how the store stands.
type RedisState struct {
	Refuses    string    // why it takes no writes: a result label of feedwire_redis_commands_total; empty: it takes them
	Used, Most int64     // bytes of memory; 0: not known, or without bound
	AppendOnly bool      // each write goes to disk within a second or so
	Saved      time.Time // the last snapshot; zero: not known
	DiskFails  bool      // the last write to disk failed
}
