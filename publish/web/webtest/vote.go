package webtest

import (
	"net/url"
	"regexp"
	"testing"
)

var (
	ballot     = regexp.MustCompile(`(?s)<span class="vote" data-vote="(\d+)">.*?data-votes>(-?\d+)</span>.*?</span>`)
	voteButton = regexp.MustCompile(`formaction="/read/entries/\d+/vote" name="vote" value="(\w+)" data-do="(up|down)" aria-label="[^"]+" aria-pressed="(true|false)"`)
)

// Ballot is what a page shows of the votes on an entry.
type Ballot struct {
	Votes   string            // their number; empty: the page does not show it
	Own     string            // the button that is pressed: up or down
	Buttons map[string]string // the votes that the buttons send, by up and down
}

// BallotOf returns the votes on the entry with a number that a page shows.
func BallotOf(page, number string) (b Ballot) {
	for _, m := range ballot.FindAllStringSubmatch(page, -1) {
		if m[1] != number {
			continue
		}
		b = Ballot{Votes: m[2], Buttons: make(map[string]string)}
		for _, button := range voteButton.FindAllStringSubmatch(m[0], -1) {
			if b.Buttons[button[2]] = button[1]; button[3] == "true" {
				b.Own += button[2]
			}
		}
	}
	return b
}

// PressVote returns the page after the button for up or down of an entry was pressed on a page.
func (b *Browser) PressVote(tb testing.TB, page, number, way, back string) string {
	tb.Helper()
	vote, ok := BallotOf(page, number).Buttons[way]
	if !ok {
		tb.Fatalf("there is no button to vote %s on %s: %s", way, number, page)
	}
	return b.Follow("/read/entries/"+number+"/vote", url.Values{"vote": {vote}, "back": {back}})
}
