package web

import "github.com/feedwire/feedwire/store/feed"

// labelled is how much of a name buttons have, in bytes.
const labelled = 80

// Ballot is an entry with its votes on a page. The template vote shows it, within a form that has the field back. The zero value shows
// nothing.
type Ballot struct {
	Number string // of the entry
	Name   string // of the entry
	Score  feed.Score
	Open   bool // the visitor can vote on it now
}

// Shown reports whether there is anything to show.
func (b Ballot) Shown() bool { return b.Open || b.Score.Votes != 0 }

// Label returns the name as buttons have it for people who do not see which entry is beside them.
func (b Ballot) Label() string { return Shorten(b.Name, labelled) }

// Pressing returns the vote that a button for up or down sets: it takes back the vote that it has set.
func (b Ballot) Pressing(button feed.Vote) feed.Vote {
	if b.Score.Vote == button {
		return feed.VoteNone
	}
	return button
}
