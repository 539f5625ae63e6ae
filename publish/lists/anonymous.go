package lists

import (
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// voteAnonymously serves PUT /api/v1/entries/{n}/anonymous-vote.
func (ls *Lists) voteAnonymously(r *http.Request) (score feed.Score, err error) {
	var body struct {
		Vote feed.Vote `json:"vote"`
	}
	if err := web.Decode(r, &body); err != nil {
		return score, err
	}
	return ls.castAnonymously(r, body.Vote)
}

// voteAnonymouslyByForm serves POST /lists/entries/{n}/vote.
func (ls *Lists) voteAnonymouslyByForm(r *http.Request) (web.Next, error) {
	_, err := ls.castAnonymously(r, feed.Vote(r.PostFormValue("vote")))
	return web.Next{Page: listsPath}, err
}

// castAnonymously sets the vote of the network of a request on the entry in its path, which anyone may see.
func (ls *Lists) castAnonymously(r *http.Request, vote feed.Vote) (score feed.Score, err error) {
	if !ls.opts.Anonymous() {
		return score, fmt.Errorf("voting without an account is %w: votes.anonymous of the configuration is false", feed.ErrForbidden)
	}
	if err := vote.Check(); err != nil {
		return score, err
	}
	e, err := ls.entry(r.Context(), r.PathValue("n"))
	if err != nil {
		return score, err
	}
	sources, err := ls.store.SourcesByURL(r.Context(), []string{e.FeedURL})
	if err != nil {
		return score, err
	}
	if len(sources) == 0 || sources[0].Private() {
		return score, fmt.Errorf("%s of a public source %w", e.ID, feed.ErrNotFound)
	}
	return ls.store.VoteAnonymously(r.Context(), &e, ls.web.Network(r), vote)
}
