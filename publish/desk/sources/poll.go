package sources

import (
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// poll serves POST /api/v1/sources/{id}/poll. With ?full=1 the document is parsed even if it is unchanged. With ?trace=1 the response
// is the trace of the poll.
func (ss *Sources) poll(w http.ResponseWriter, r *http.Request) error {
	full := r.URL.Query().Get("full") == "1"
	if r.URL.Query().Get("trace") == "1" {
		_, trace, err := ss.trace(w, r, full)
		if err != nil {
			return err
		}
		web.JSON(w, http.StatusOK, trace)
		return nil
	}
	poll := ss.store.PollSource
	if full {
		poll = ss.store.PollInFull
	}
	return web.Reply(http.StatusAccepted, ss.act(poll))(w, r)
}

// pollMany makes the sources of the body due, or all sources if there is no body.
func (ss *Sources) pollMany(a *web.Action) web.Handler {
	some, all := ss.actOnMany(a, http.StatusAccepted, ss.store.PollSource), web.Reply(http.StatusAccepted, ss.pollAll)
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.ContentLength != 0 {
			return some(w, r)
		}
		return all(w, r)
	}
}

// dueSources is the response to a poll of all sources.
type dueSources struct {
	Due int `json:"due"`
}

// pollAll makes all sources due.
func (ss *Sources) pollAll(r *http.Request) (dueSources, error) {
	due, err := ss.store.PollSources(r.Context())
	if err == nil {
		ss.web.Logger.Info("all sources are due", "count", due)
	}
	return dueSources{due}, err
}

func (ss *Sources) pollAllByForm(r *http.Request) (web.Next, error) {
	_, err := ss.pollAll(r)
	return web.Next{Page: "/sources", Did: "alldue"}, err
}

// trace polls the source of the path at once and returns its id and each step.
func (ss *Sources) trace(w http.ResponseWriter, r *http.Request, full bool) (id string, trace feed.Trace, err error) {
	if id, err = idOf(r); err != nil {
		return id, trace, err
	}
	// The timeout of a source can exceed that of the server. Without support for deadlines there is no limit to extend.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(feed.MaxTimeout + time.Minute))
	trace, err = ss.opts.Trace(r.Context(), id, full)
	return id, trace, err
}
