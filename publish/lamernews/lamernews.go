// Package lamernews serves the API of Lamer News below the mount of the site, for programs that were written for it: the same paths,
// parameters and responses. /api/v1 has the same operations and more.
//
// Every response has the status 200 and says in its field status whether the call succeeded. Calls that change something are POST. A client
// proves who it is by the cookie auth, which a sign-in returns, and then repeats the secret of its account in the parameter apisecret;
// or by a token of the API, which needs no secret.
package lamernews

import (
	"errors"
	"net/http"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Actions are what the site does with submissions, for requests whose visitor is web.VisitorOf.
type Actions interface {
	// Submit submits s, or returns the earlier submission of its URL.
	Submit(r *http.Request, author *feed.Account, s *feed.Submission) (n feed.News, duplicate bool, err error)
	// Change replaces a submission by s.
	Change(r *http.Request, editor *feed.Account, n int64, s *feed.Submission) error
	// Delete deletes a submission.
	Delete(r *http.Request, editor *feed.Account, n int64) error
	// CheckComment returns a comment as it is stored, unless its author may not write it.
	CheckComment(author *feed.Account, body string) (string, error)
	// AddComment adds a comment to a submission and returns its number, unless its author may not write it, or does so too often.
	AddComment(r *http.Request, author *feed.Account, n, parent int64, body string) (int64, error)
	// VoteOnComment votes on a comment and returns the vote that the account has cast before, which does not change.
	VoteOnComment(r *http.Request, voter *feed.Account, n, c int64, v feed.Vote) (before feed.Vote, err error)
	// Vote votes on a submission and returns the vote that the account has cast before, which does not change.
	Vote(r *http.Request, voter *feed.Account, n int64, v feed.Vote) (before feed.Vote, err error)
}

// Options configure API. All fields are required.
type Options struct {
	Mount       web.Mount   // of the site
	LegacyLogin func() bool // GET /api/login signs in, too
	// OtherSite reports whether a page of another site makes a browser send a call.
	OtherSite func(*http.Request) bool
}

// API serves the calls. Create it with New.
type API struct {
	store   Store
	people  *people.People
	actions Actions
	opts    Options
}

// New returns API.
func New(store Store, p *people.People, actions Actions, opts Options) *API {
	return &API{store, p, actions, opts}
}

// Site returns the calls. They are public: each one identifies its client, which sends another cookie than browsers do.
func (a *API) Site() web.Site {
	post := func(path, action string, do func(*http.Request) (answer, error)) web.Route {
		return web.Route{
			Pattern: a.opts.Mount.Pattern("POST", "/api/"+path), Scope: web.Public, Action: &web.Action{Name: action}, MaxBody: maxCall,
			Serve: reply(do), Failed: fail,
		}
	}
	open := func(path, action string, do func(*http.Request) (answer, error)) web.Route {
		return post(path, action, a.notByOthers(do))
	}
	get := func(path string, do func(*http.Request) (answer, error)) web.Route {
		return web.Route{Pattern: a.opts.Mount.Pattern("GET", "/api/"+path), Scope: web.Public, Serve: reply(do), Failed: fail}
	}
	return web.Site{Routes: []web.Route{
		get("login", a.loginByURL),
		open("login", "sign_in_by_token", a.login),
		post("logout", "sign_out_by_token", a.logout),
		open("create_account", "sign_up_by_token", a.createAccount),
		get("reset-password", a.resetByURL),
		open("reset-password", "reset_by_mail", a.resetPassword),
		post("updateprofile", "profile_change", a.updateProfile),
		post("submit", "submission_write", a.submit),
		post("delnews", "submission_remove", a.deleteNews),
		post("votenews", "submission_vote", a.voteOnNews),
		post("postcomment", "comment_write", a.postComment),
		post("votecomment", "submission_vote", a.voteOnComment),
		get("getnews/{sort}/{start}/{count}", a.news),
		get("getcomments/{n}", a.comments),
	}}
}

// notByOthers returns the handler of a call without a secret, which refuses what pages of other sites send: it makes accounts and sends mails
// in the name of the visitor's network.
func (a *API) notByOthers(do func(*http.Request) (answer, error)) func(*http.Request) (answer, error) {
	return func(r *http.Request) (answer, error) {
		if a.opts.OtherSite(r) {
			return nil, refused("the call came from a page of another site; nothing was changed")
		}
		return do(r)
	}
}

// maxCall bounds the form of a call in bytes: each byte of a text of feed.MaxNewsText takes three.
const maxCall = 128 << 10

// answer is the response to a call that succeeded.
type answer map[string]any

// refused is why a call is refused. It is a feed.ErrForbidden.
type refused string

func (e refused) Error() string { return string(e) }

// Is reports whether target is feed.ErrForbidden.
func (refused) Is(target error) bool { return target == feed.ErrForbidden }

// reply returns the handler of a call.
func reply(do func(*http.Request) (answer, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		result, err := do(r)
		if err == nil {
			result["status"] = "ok"
			web.JSON(w, http.StatusOK, result)
		} else if errors.Is(err, feed.ErrNotFound) { // the path exists
			err = refused("there is no such news or comment")
		}
		return err
	}
}

// fail answers a call that failed.
func fail(w http.ResponseWriter, r *http.Request) error {
	web.JSON(w, http.StatusOK, answer{"status": "err", "error": web.FailedBecause(r)})
	return nil
}
