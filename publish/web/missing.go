package web

import (
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Missing describes pages that do not exist below a path.
type Missing struct {
	Below string // "/articles/"
	Text  string // "This article does not exist."
	List  Link   // page that lists what exists
}

// missing returns the text and the links for a page that does not exist.
func (k *Kit) missing(path string) (text string, links []Link) {
	for _, m := range k.site.Load().Missing {
		if strings.HasPrefix(path, m.Below) {
			return m.Text, []Link{m.List}
		}
	}
	return "This does not exist, or it was removed.", nil
}

// serveMissing answers a request that no route takes. The fallback of the mux knows the methods of its path, if the path exists.
func (k *Kit) serveMissing(w http.ResponseWriter, r *http.Request, fallback http.Handler) {
	if IsAPI(r.URL.Path) {
		r.Pattern = "/api/" // for metrics
		need := SignedIn    // strangers do not learn which paths exist
		if k.HasHost(r) {
			need = Public // with a token the answer is the same
		}
		k.Guard(need, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if allow := allowed(fallback, w, r); allow != "" {
				WriteProblem(w, feed.ProblemMethod.Problem(r, "this path accepts "+allow))
				return
			}
			WriteProblem(w, feed.ProblemNotFound.Problem(r, "this path does not exist"))
		})).ServeHTTP(w, r)
		return
	}
	k.admit(Anyone, false, nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if allow := allowed(fallback, w, r); allow != "" {
			k.errorPage(w, r, http.StatusMethodNotAllowed, "This address accepts "+allow+" only.")
			return
		}
		k.errorPage(w, r, http.StatusNotFound, "There is no page at this address.")
	})).ServeHTTP(w, r)
}

// allowed sets the header Allow as the fallback handler of a mux does, and returns it.
func allowed(fallback http.Handler, w http.ResponseWriter, r *http.Request) string {
	fallback.ServeHTTP(newRecorder(w), r) // its body is dropped
	return w.Header().Get("Allow")
}
