package articles

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// ballots returns the votes on the entries of articles by the id of the entry, for those that exist.
func (as *Articles) ballots(r *http.Request, all ...*feed.Article) (map[string]web.Ballot, error) {
	ids := make([]string, 0, len(all))
	for _, a := range all {
		if a.Entry != "" {
			ids = append(ids, a.Entry)
		}
	}
	found, err := as.store.HeadlinesByID(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	user := web.VisitorOf(r).Account.ID
	scores, err := as.store.Scores(r.Context(), user, ids)
	ballots := make(map[string]web.Ballot, len(ids))
	for _, a := range all {
		if e, ok := found[a.Entry]; ok {
			ballots[e.ID] = web.Ballot{Number: e.Number(), Name: a.Name(), Score: scores[e.ID], Open: user != 0 && as.store.VotingOpen(&e)}
		}
	}
	return ballots, err
}
