package desk

import (
	"net/http"
	"strings"
)

// way is a link that leads on.
type way struct{ Link, Text string }

// places are the lists of the desk, by what the addresses below them begin with, and what is said where there is nothing.
var places = []struct {
	below string
	way
	nothing string
}{
	{"/articles/", way{"/articles", "All articles"}, "There is no such article, or not any more."},
	{"/sources/", way{"/sources", "All sources"}, "There is no such source, or not any more."},
	{"/imports/", way{"/sources/import", "Import a list"}, "There is no such import: what became of one is kept for a day."},
	{"/feeds/", way{"/feeds", "All outgoing feeds"}, "There is no such outgoing feed. They are named in the configuration."},
	{"/signals/", way{"/signals", "The latest signals"}, "There is no such signal, or it is not kept any more."},
	{"/subscriptions/", way{"/subscriptions", "All subscriptions"}, "There is no such subscription, or not any more."},
	{"/dead-letters/", way{"/dead-letters", "All dead letters"}, "There is no such dead letter. It may have been sent again meanwhile."},
	{"/users/", way{"/users", "All users"}, "There is no such user."},
	{"/tokens/", way{"/tokens", "All tokens"}, "There is no such token."},
}

// lost says what there is not at a path, and where to go on.
func lost(path string) (text string, ways []way) {
	for i := range places {
		if p := &places[i]; strings.HasPrefix(path, p.below) {
			return p.nothing, []way{p.way}
		}
	}
	return "There is nothing of that name, or not any more.", nil
}

// noPage answers where the address is that of no page, or of one that is not asked for like this.
func (d *Desk) noPage(w http.ResponseWriter, r *http.Request, allow string) {
	if allow != "" {
		w.Header().Set("Allow", allow)
		d.sorry(w, r, http.StatusMethodNotAllowed, "This address is not asked for like this: it takes "+allow+".")
		return
	}
	_, ways := lost(r.URL.Path)
	d.answerSorry(w, r, http.StatusNotFound, "There is no page at this address.", ways)
}

// routed serves by a mux what that knows, and has other answer where the mux itself would say that a path or a method is not
// known; allow: the methods that are.
func routed(mux *http.ServeMux, other func(w http.ResponseWriter, r *http.Request, allow string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		verdict := &statusOnly{header: make(http.Header)}
		own.ServeHTTP(verdict, r)
		other(w, r, verdict.header.Get("Allow"))
	})
}

// statusOnly takes the headers of an answer and drops the rest.
type statusOnly struct{ header http.Header }

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (s *statusOnly) WriteHeader(int)             {}
