package readers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// The API of Google Reader, which apps such as NetNewsWire, Reeder and FeedMe use. The paths below greaderMount are those of FreshRSS.
const (
	greaderMount = "/api/greader.php"
	greaderLogin = "/accounts/ClientLogin"
	greaderCalls = "/reader/api/0/"
)

// maxCall bounds the parameters in the body of a call in bytes: 10,000 long ids.
const maxCall = 1 << 20

// Apps passes on requests of apps, which may also begin with /reader/api/0/, /accounts/ClientLogin or /fever/. It reads the password of a
// sign-in as the token that later calls send.
func Apps(next http.Handler) http.Handler {
	next = feverApps(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, mounted := strings.CutPrefix(r.URL.Path, greaderMount)
		if path != greaderLogin && !strings.HasPrefix(path, greaderCalls) {
			next.ServeHTTP(w, r)
			return
		}
		r, routed := cloneCall(r)
		defer routed()
		if !mounted {
			r.URL.Path, r.URL.RawPath = greaderMount+path, ""
		}
		if stream, ok := strings.CutPrefix(path, greaderCalls+"stream/contents/"); ok { // it may be "feed/https://…"
			r.URL.Path = greaderMount + greaderCalls + "stream/contents"
			r.URL.RawQuery += "&s=" + url.QueryEscape(stream)
		}
		if path == greaderLogin {
			form, err := readCall(w, r)
			if isTooLarge(err) {
				http.Error(w, "Error=BadRequest", http.StatusRequestEntityTooLarge)
				return
			}
			if err != nil {
				http.Error(w, "Error=BadRequest", http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(form.Encode()))
			r.Header.Set("Authorization", "GoogleLogin auth="+form.Get("Passwd"))
		}
		w.Header().Set("X-Reader-Google-Bad-Token", "true") // unless the call is served
		next.ServeHTTP(w, r)
	})
}

// isTooLarge reports whether a body could not be read because it exceeds its limit.
func isTooLarge(err error) bool {
	_, ok := errors.AsType[*http.MaxBytesError](err)
	return ok
}

// cloneCall returns a request that may be changed. routed gives its pattern to the original, which metrics read.
func cloneCall(of *http.Request) (r *http.Request, routed func()) {
	r = of.Clone(of.Context())
	return r, func() { of.Pattern = r.Pattern }
}

// greaderImport is the call whose body is a document.
const greaderImport = greaderCalls + "subscription/import"

// readCall returns the parameters of a call, from its query and its form. It does not bound their number as net/url does.
func readCall(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	all, text := r.URL.Query(), ""
	if r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, greaderImport) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
		if err != nil {
			return nil, err
		}
		text = string(body)
	}
	for pair := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if err := cmp.Or(nameErr, valueErr); err != nil {
			return nil, feed.Invalid("body", err.Error())
		}
		if name != "" {
			all[name] = append(all[name], value)
		}
	}
	return all, nil
}

// call is a call of an app.
type call struct {
	*http.Request
	url.Values
	user    int64
	follows []feed.Follow // see withFollows
}

type callHandler func(w http.ResponseWriter, c *call) error

// greaderRoutes returns the routes of the API of Google Reader. add is the action of calls that may add a source.
func (rs *Readers) greaderRoutes(add, edit *web.Action) (all []web.Route) {
	route := func(methods, name string, action *web.Action, serve callHandler) {
		for method := range strings.FieldsSeq(methods) {
			r := web.Route{Pattern: method + " " + greaderMount + name, Query: web.AnyQuery, Scope: feed.ScopeFollows, Untagged: true, Serve: rs.greader(serve)}
			r.MaxBody = maxOPML // readCall bounds bodies that are no document
			if method == http.MethodPost {
				r.Action = action
			}
			all = append(all, r)
		}
	}
	route("GET POST", greaderLogin, edit, signIn)
	for name, serve := range map[string]callHandler{
		"token": callToken, "user-info": userInfo, "tag/list": rs.withFollows(tagList),
		"subscription/list": rs.withFollows(rs.subscriptionList), "unread-count": rs.withFollows(rs.unreadCount),
		"subscription/export": func(w http.ResponseWriter, c *call) error { return rs.export(w, c.Request) },
	} {
		route("GET", greaderCalls+name, nil, serve)
	}
	for name, serve := range map[string]callHandler{
		"stream/items/ids": rs.itemIDs, "stream/items/contents": rs.itemContents, "stream/contents": rs.streamContents,
		"search/items/ids": rs.searchIDs,
	} {
		route("GET POST", greaderCalls+name, edit, rs.withFollows(serve))
	}
	route("POST", greaderCalls+"edit-tag", edit, answerOK(rs.editTag))
	for name, serve := range map[string]func(c *call) error{
		"mark-all-as-read": rs.markAllAsRead, "rename-tag": rs.renameTag, "disable-tag": rs.disableTag,
	} {
		route("POST", greaderCalls+name, edit, rs.withFollows(answerOK(serve)))
	}
	route("POST", greaderCalls+"subscription/edit", add, rs.withFollows(answerOK(rs.editSubscription)))
	route("GET POST", greaderCalls+"subscription/quickadd", add, rs.quickAdd)
	route("POST", greaderImport, add, rs.importSubscriptions)
	return all
}

// answerOK answers "OK" once something is done.
func answerOK(do func(c *call) error) callHandler {
	return func(w http.ResponseWriter, c *call) error {
		web.NothingChanged(c.Request)
		err := do(c)
		if err == nil {
			plain(w, "OK")
		}
		return err
	}
}

// greader returns the handler of a call.
func (rs *Readers) greader(serve callHandler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if v := web.VisitorOf(r); !v.ByToken { // a session comes with links of other sites, too
			web.WriteProblem(w, feed.ProblemUnknown.Problem(r, `send an app password as "Authorization: GoogleLogin auth=<password>"`))
			return nil
		}
		w.Header().Del("X-Reader-Google-Bad-Token")
		c := &call{Request: r}
		var err error
		if c.user, err = rs.account(r); err != nil {
			return err
		}
		if c.Values, err = readCall(w, r); err != nil {
			return err
		}
		return serve(w, c)
	}
}

// withFollows serves a call that needs the follows of the user.
func (rs *Readers) withFollows(serve callHandler) callHandler {
	return func(w http.ResponseWriter, c *call) (err error) {
		if c.follows, err = rs.store.Follows(c.Context(), c.user); err != nil {
			return err
		}
		return serve(w, c)
	}
}

func plain(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text) // the client may be gone
}

// object is a JSON object of an answer.
type object map[string]any

func reply(w http.ResponseWriter, o object) error {
	web.JSON(w, http.StatusOK, o)
	return nil
}

// signIn serves /accounts/ClientLogin to an app that sent an app password. The password is the token of later calls, too.
func signIn(w http.ResponseWriter, c *call) error {
	web.NothingChanged(c.Request)
	v := web.VisitorOf(c.Request)
	if name, err := feed.CheckName(c.Get("Email")); err != nil || name != v.Account.Name || !v.ByToken {
		web.WriteProblem(w, feed.ProblemUnknown.Problem(c.Request, "Email is not the name of the account, or Passwd is not an app password of it"))
		return nil
	}
	token := c.Get("Passwd")
	if c.Get("output") == "json" {
		return reply(w, object{"SID": token, "LSID": token, "Auth": token})
	}
	plain(w, fmt.Sprintf("SID=%s\nLSID=%[1]s\nAuth=%[1]s\n", token))
	return nil
}

// callToken serves token. Any T is accepted: no page of another site can send the Authorization header that every call needs.
func callToken(w http.ResponseWriter, c *call) error {
	plain(w, feed.HashSecret(c.Header.Get("Authorization"))[:57])
	return nil
}

// userInfo serves user-info.
func userInfo(w http.ResponseWriter, c *call) error {
	v := web.VisitorOf(c.Request)
	id := strconv.FormatInt(c.user, 10)
	return reply(w, object{"userId": id, "userName": v.Account.Name, "userProfileId": id, "userEmail": ""})
}
