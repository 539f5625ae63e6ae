package lamernews

import (
	"net/http"
	"strconv"

	"github.com/feedwire/feedwire/store/feed"
)

// maxNews bounds the submissions of an answer.
const maxNews = 32

// submit serves POST /api/submit, which creates a submission or changes one.
func (a *API) submit(r *http.Request) (answer, error) {
	r, v, err := a.member(r, feed.ScopePosts)
	if err != nil {
		return nil, err
	}
	id, err := number("news_id", value(r, "news_id"))
	if err != nil {
		return nil, err
	}
	s := feed.Submission{Title: value(r, "title"), URL: value(r, "url"), Text: value(r, "text")}
	if s.URL != "" {
		s.Text = "" // forms of Lamer News send both
	}
	if id != create {
		return answer{"news_id": id}, a.actions.Change(r, &v.Account, id, &s)
	}
	n, _, err := a.actions.Submit(r, &v.Account, &s)
	return answer{"news_id": n.ID}, err
}

// deleteNews serves POST /api/delnews.
func (a *API) deleteNews(r *http.Request) (answer, error) {
	r, v, err := a.member(r, feed.ScopePosts)
	if err != nil {
		return nil, err
	}
	id, err := existing("news_id", value(r, "news_id"))
	if err == nil {
		err = a.actions.Delete(r, &v.Account, id)
	}
	return answer{"news_id": -1}, err
}

const errDuplicate refused = "duplicated vote"

// voteOnNews serves POST /api/votenews.
func (a *API) voteOnNews(r *http.Request) (answer, error) {
	r, v, err := a.member(r, feed.ScopeFollows)
	if err != nil {
		return nil, err
	}
	id, err := existing("news_id", value(r, "news_id"))
	if err != nil {
		return nil, err
	}
	before, err := a.actions.Vote(r, &v.Account, id, feed.Vote(value(r, "vote_type")))
	if err == nil && before != feed.VoteNone {
		err = errDuplicate
	}
	return answer{}, err
}

// item is a submission in an answer. Its numbers are texts, as Redis returns them.
type item struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	URL      string    `json:"url"`
	Created  string    `json:"ctime"`
	Up       string    `json:"up"`
	Down     string    `json:"down"`
	Comments string    `json:"comments"`
	Username string    `json:"username"`
	Voted    feed.Vote `json:"voted,omitempty"` // by the client
}

// news serves GET /api/getnews/{sort}/{start}/{count}.
func (a *API) news(r *http.Request) (answer, error) {
	v, err := a.client(r)
	if err != nil {
		return nil, err
	}
	order := feed.NewsOrder(r.PathValue("sort"))
	if order != feed.NewsLatest && order != feed.NewsTop {
		return nil, refused("invalid sort parameter; use latest or top")
	}
	start, _ := strconv.Atoi(r.PathValue("start")) // as Lamer News does: a text is 0
	count, _ := strconv.Atoi(r.PathValue("count"))
	if count > maxNews {
		return nil, refused("count is too big; use up to " + strconv.Itoa(maxNews))
	}
	ids, total, err := a.store.NewsRange(r.Context(), order, max(0, start), max(1, count))
	if err != nil {
		return nil, err
	}
	all, err := a.store.News(r.Context(), v.Account.ID, ids...)
	items := make([]item, len(all))
	for i := range all {
		items[i] = itemOf(&all[i])
	}
	return answer{"news": items, "count": total}, err
}

func itemOf(n *feed.News) item {
	i := item{
		strconv.FormatInt(n.ID, 10), n.Title, n.Address, strconv.FormatInt(n.Created.Unix(), 10), strconv.Itoa(n.Up), strconv.Itoa(n.Down),
		strconv.Itoa(n.Comments), n.Author, n.Vote,
	}
	if i.Voted == feed.VoteNone {
		i.Voted = ""
	}
	return i
}
