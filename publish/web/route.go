package web

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// Needs of a route other than a scope.
const (
	Public   feed.Scope = "public"    // nothing; the visitor is not looked up
	Anyone   feed.Scope = "anyone"    // nothing
	Optional feed.Scope = "optional"  // nothing, but credentials that are sent must be valid
	SignedIn feed.Scope = "signed-in" // a known visitor
)

// Handler answers a request, or returns an error before it has written anything.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Route is everything that is known about one route.
type Route struct {
	Pattern  string     // method and path as in http.ServeMux
	Scope    feed.Scope // that the visitor needs, or Public, Anyone, SignedIn; empty: feed.ScopeAdmin
	Action   *Action    // what the route does; nil: it changes nothing
	Serve    Handler
	Unknown  Handler  // answers unknown visitors; nil: 401, or the sign-in page
	Failed   Handler  // shows the page of the form again, with Frame.Problem; nil: an error page
	Untagged bool     // the response differs each time, so it has no entity tag
	Copied   bool     // the last response to an account is served while the store is unavailable; see Kit.DropCopies
	Lasts    bool     // the response is a stream, which ends when the visitor loses the scope
	MaxBody  int64    // bytes of the body of a request; 0: 1 MiB for the API, else 64 KiB
	Holds    int64    // bytes of a form with files that Serve holds at once; 0: all
	Query    []string // names of the parameters of its query; others are refused. nil: a page may have any, the API has none
}

// Action is what a person does. It is counted, and recorded in the audit log if it has a Text.
type Action struct {
	Name   string // label of metrics and name in the audit log: "source_pause"
	Text   string // for people, after the visitor's name: "paused a source"; empty: not recorded
	Secret bool   // the response holds a secret and is not stored for a repetition of the request
}

// Site is everything that a room serves.
type Site struct {
	Name     string // of the site on the host of its routes, if they have one
	Routes   []Route
	Missing  []Missing // by path
	Actions  []*Action // recorded outside of routes
	SignIn   Handler   // answers a form of an unknown visitor; nil: an error page
	Nav      []Link    // pages in the header of every page
	AdminNav []Link    // pages in the header for admins
}

// Room is a part of the site.
type Room interface{ Site() Site }

func (r *Route) scope() feed.Scope {
	if r.Scope == "" {
		return feed.ScopeAdmin
	}
	return r.Scope
}

func (r *Route) maxBody() int64 {
	switch {
	case r.MaxBody != 0:
		return r.MaxBody
	case r.isAPI():
		return maxJSON
	}
	return MaxForm
}

// streams reports whether Serve holds only a part of the body of a request at once.
func (r *Route) streams(req *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	return r.Holds > 0 && kind == "multipart/form-data"
}

func (r *Route) isAPI() bool {
	_, path, _ := strings.Cut(r.Pattern, " ")
	return IsAPI(path)
}

// IsAPI reports whether a path is one for programs, whose requests have tokens and whose problems are JSON. Outside of "/api/" these
// are the paths of posts.
func IsAPI(path string) bool {
	return path == "/api" || path == "/feed" || path == "/users/feed" || path == "/posts" ||
		strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/posts/")
}

// AnyQuery is the Query of a route for programs that were written for another API, and send what that knows.
var AnyQuery = []string{"*"}

// checkQuery refuses parameters that the route does not have: a program that sends one expects another result. feed.ErrInvalid names it.
func (r *Route) checkQuery(q url.Values) error {
	if r.Query == nil && !r.isAPI() || slices.Equal(r.Query, AnyQuery) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(r.Query, name) {
			reason := "the path has no parameters"
			if len(r.Query) > 0 {
				reason = "unknown parameter; use " + strings.Join(r.Query, ", ")
			}
			return feed.Invalid(Cut(name, maxParameter), reason)
		}
	}
	return nil
}

// maxParameter bounds the name of an unknown parameter in a problem, in bytes.
const maxParameter = 64

func (r *Route) isSafe() bool { return strings.HasPrefix(r.Pattern, "GET ") }
