package lists

import (
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
	see, err := ls.visible(r, account.ID)
	if err != nil {
		return score, err
	}
	if !see(&e) {
		return score, fmt.Errorf("%s of a source that you follow %w", e.ID, feed.ErrNotFound)
	}
	if err := ls.store.CountVote(r.Context(), account.ID); err != nil {
		return score, err
	}
	defer ls.web.DropCopies(account.ID)
	return ls.store.Vote(r.Context(), &e, account.ID, vote)
}

// entry returns the entry with a number. feed.ErrGone: it was taken down; feed.ErrNotFound: it does not exist.
func (ls *Lists) entry(ctx context.Context, n string) (feed.Entry, error) {
	if n == "" || len(n) > 19 || strings.Trim(n, "0123456789") != "" {
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

// visible returns which entries the visitor may see, with the follows of a user.
func (ls *Lists) visible(r *http.Request, user int64) (func(e *feed.Entry) bool, error) {
	follows, err := ls.store.Follows(r.Context(), user)
	followed, v := make(map[string]bool, len(follows)), web.VisitorOf(r)
	for i := range follows {
		followed[follows[i].FeedURL] = true
	}
	return func(e *feed.Entry) bool { return v.MaySee(e.FeedURL, followed[e.FeedURL]) }, err
}
