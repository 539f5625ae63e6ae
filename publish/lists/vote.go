package lists

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// vote serves PUT /api/v1/entries/{n}/vote.
func (ls *Lists) vote(r *http.Request) (score feed.Score, err error) {
	var body struct {
		Vote feed.Vote `json:"vote"`
	}
	if err := web.Decode(r, &body); err != nil {
		return score, err
	}
	return ls.cast(r, body.Vote)
}

// voteByForm serves POST /read/entries/{n}/vote.
func (ls *Lists) voteByForm(r *http.Request) (web.Next, error) {
	vote, did := feed.Vote(r.PostFormValue("vote")), "voted"
	if vote == feed.VoteNone {
		did = "unvoted"
	}
	_, err := ls.cast(r, vote)
	return web.Next{Page: "/read", Did: did}, err
}

// cast sets the vote of the account of a request on the entry in its path, which the visitor may see.
func (ls *Lists) cast(r *http.Request, vote feed.Vote) (score feed.Score, err error) {
	if err := vote.Check(); err != nil {
		return score, err
	}
	account, err := web.AccountOf(r, ls.store.Account)
	if err != nil {
		return score, err
	}
	e, err := ls.entry(r.Context(), r.PathValue("n"))
	if err != nil {
		return score, err
	}
	if err := ls.mayCast(r, account.ID, &e, vote); err != nil {
		return score, err
	}
	defer ls.web.DropCopies(account.ID)
	defer ls.tallies.touch(e.ID)
	return ls.store.Vote(r.Context(), &e, account.ID, vote)
}

// mayCast returns nil if a user may set a vote on an entry, and counts it. A vote that the user has cast can always be withdrawn: it
// neither counts nor requires that the user still follows the source. feed.ErrNotFound: the visitor does not see the entry;
// *feed.QuotaError: there were feed.MaxVotes in an hour.
func (ls *Lists) mayCast(r *http.Request, user int64, e *feed.Entry, vote feed.Vote) error {
	if vote == feed.VoteNone {
		scores, err := ls.store.Scores(r.Context(), user, []string{e.ID})
		if err != nil || cmp.Or(scores[e.ID].Vote, feed.VoteNone) != feed.VoteNone {
			return err
		}
	}
	see, err := ls.visible(r, user)
	if err != nil {
		return err
	}
	if !see(e) {
		return fmt.Errorf("%s %w among the entries that the account may see", e.ID, feed.ErrNotFound)
	}
	return ls.store.CountVote(r.Context(), user)
}

// entry returns the entry with a number. feed.ErrGone: it was taken down; feed.ErrNotFound: it does not exist.
func (ls *Lists) entry(ctx context.Context, n string) (feed.Entry, error) {
	if !isNumber(n) {
		return feed.Entry{}, fmt.Errorf("entry %.32q %w: use its number, such as 5 for Entry:5", n, feed.ErrNotFound)
	}
	id := "Entry:" + n
	found, err := ls.store.HeadlinesByID(ctx, []string{id})
	if e, ok := found[id]; ok || err != nil {
		return e, err
	}
	removed, err := ls.store.WasTakenDown(ctx, id)
	switch {
	case err != nil:
		return feed.Entry{}, err
	case removed:
		return feed.Entry{}, fmt.Errorf("%s was %w", id, feed.ErrGone)
	}
	return feed.Entry{}, fmt.Errorf("%s %w", id, feed.ErrNotFound)
}

// isNumber reports whether a text can be the number of an entry.
func isNumber(n string) bool { return n != "" && len(n) <= 19 && strings.Trim(n, "0123456789") == "" }

// visible returns which entries the visitor may see, with the follows of a user.
func (ls *Lists) visible(r *http.Request, user int64) (func(e *feed.Entry) bool, error) {
	follows, err := ls.store.Follows(r.Context(), user)
	followed, v := make(map[string]bool, len(follows)), web.VisitorOf(r)
	for i := range follows {
		followed[follows[i].FeedURL] = true
	}
	return func(e *feed.Entry) bool { return v.MaySee(e.FeedURL, followed[e.FeedURL]) }, err
}
