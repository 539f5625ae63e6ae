package feed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Defaults of votes: the constants of Redis in Action. 200 votes are worth a day.
const (
	VoteWeight = 432
	VoteWindow = 7 * 24 * time.Hour
)

// ErrVotingClosed means that the votes of an entry are final. Users vote on it in the first days only.
var ErrVotingClosed = errors.New("closed for votes")

// VotingClosedError is an ErrVotingClosed with the time in which users vote.
type VotingClosedError struct{ Window time.Duration }

func (e *VotingClosedError) Error() string { return ErrVotingClosed.Error() }

// Is makes the error an ErrVotingClosed.
func (e *VotingClosedError) Is(target error) bool { return target == ErrVotingClosed }

// Vote is the vote of a user on an entry.
type Vote string

// Votes.
const (
	VoteUp   Vote = "up"
	VoteDown Vote = "down"
	VoteNone Vote = "none"
)

// Votes returns all votes.
func Votes() []Vote { return []Vote{VoteUp, VoteDown, VoteNone} }

// Check returns nil if the vote is one of Votes. The error is ErrInvalid.
func (v Vote) Check() error {
	if !slices.Contains(Votes(), v) {
		return Invalid("vote", "use up, down or none")
	}
	return nil
}

// Score is what users think of an entry.
type Score struct {
	Score float64 `json:"score"` // the time of the entry in Unix seconds + weight × Votes
	Votes int     `json:"votes"` // upvotes minus downvotes
	Vote  Vote    `json:"vote"`  // of one user

	Anonymous int `json:"anonymous,omitempty"` // upvotes minus downvotes without an account, which are not in Score and Votes

	Upvotes int `json:"-"` // Votes without the downvotes
}

// VoteCounts are the votes of all on an entry, as in Score.
type VoteCounts struct{ Votes, Upvotes, Anonymous int }

// VotedEvent tells the votes on an entry to programs and pages that follow them.
type VotedEvent struct {
	Entry string `json:"entry"` // "Entry:5"
	Score
}

// Ranked is an entry in a list.
type Ranked struct {
	Entry Entry `json:"entry"` // without content
	Score
}

// Lists of all entries that have votes or groups. The other lists are rankings and groups.
const (
	ListByTime  = "time"
	ListByScore = "score"
)

// Lists of the submissions of members, by NewsTop and NewsLatest. They exist while the community is enabled.
const (
	ListNewsTop    = "news.top"
	ListNewsLatest = "news.cron"
)

// ListKind is the kind of a list.
type ListKind string

// Kinds of lists.
const (
	ListOfAll   ListKind = "all"     // ListByTime and ListByScore
	ListRanking ListKind = "ranking" // one of Rankings
	ListGroup   ListKind = "group"
	ListNews    ListKind = "news" // ListNewsTop and ListNewsLatest

	ListArranged ListKind = "arranged" // by editors
	ListSearch   ListKind = "search"   // that editors saved
)

// EntryList is a list of entries.
type EntryList struct {
	Name  string   `json:"name"`
	Kind  ListKind `json:"kind"`
	Title string   `json:"title"`

	Description string `json:"description,omitempty"` // of ListArranged and ListSearch
	Query       string `json:"query,omitempty"`       // of ListSearch, as ParseSearch reads it
	Version     string `json:"-"`                     // of ListArranged and ListSearch; each change of it has another one
}

// BuiltInLists returns the lists of every store.
func BuiltInLists() []EntryList {
	all := []EntryList{
		{Name: ListByTime, Kind: ListOfAll, Title: "Newest"}, {Name: ListByScore, Kind: ListOfAll, Title: "Score"},
	}
	for _, r := range Rankings() {
		all = append(all, EntryList{Name: r.Name, Kind: ListRanking, Title: r.Title})
	}
	return all
}

// NewsLists returns the lists of submissions.
func NewsLists() []EntryList {
	return []EntryList{
		{Name: ListNewsTop, Kind: ListNews, Title: "Top news"}, {Name: ListNewsLatest, Kind: ListNews, Title: "Latest news"},
	}
}

// isFixed reports whether a name is that of a list that is neither a group nor arranged by editors.
func isFixed(name string) bool {
	return slices.ContainsFunc(slices.Concat(BuiltInLists(), NewsLists()), func(l EntryList) bool { return l.Name == name })
}

// Bounds of votes.
const (
	MaxVotes          = 600    // of a user in an hour
	MaxAnonymousVotes = 60     // of a network in an hour
	MaxAnonymous      = 10_000 // networks that vote on an entry
)

// Bounds of groups.
const (
	MaxGroupName = 64   // bytes
	MaxGroups    = 1000 // of a store
	MaxGroupsOf  = 32   // of an entry
)

// Group is a group of entries.
type Group struct {
	Name string `json:"name"`
}

// CheckGroup returns nil if a text can be the name of a group. The error is ErrInvalid.
func CheckGroup(name string) error { return checkListName("group", name) }

// checkListName returns nil if a text can be the name of a list that is not built in. The error names a field.
func checkListName(field, name string) error {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	switch {
	case name == "" || len(name) > MaxGroupName || strings.Trim(name, first+"._-") != "" || !strings.Contains(first, name[:1]),
		strings.HasSuffix(name, "."):
		return Invalid(field, fmt.Sprintf(
			"use up to %d lower-case letters, digits, dots, dashes and underscores, a letter or digit first, and no dot last", MaxGroupName))
	case hasListFormat(name):
		return Invalid(field, "leave out "+strings.Join(listFormats, ", ")+" at the end, which is the path of a feed of a list")
	case isFixed(name):
		return Invalid(field, name+" is the name of another list")
	}
	return nil
}

// OwnVote is a vote as its user exports it.
type OwnVote struct {
	Entry string    `json:"entry"` // "Entry:5"
	Vote  Vote      `json:"vote"`
	Time  time.Time `json:"time"`
}
