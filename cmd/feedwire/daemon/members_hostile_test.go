//go:build !race

package daemon

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/intake"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/xsstest"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	entryindex "github.com/feedwire/feedwire/store/search"
	"github.com/feedwire/feedwire/store/storetest"
)

// town is a desk with a community, whose members write what would run in a browser.
type town struct {
	t      *testing.T
	app    *app
	raw    *storetest.Redigo
	bearer string              // a token of ann for programs
	values map[string][]string // of the parts of paths
	query  map[string]string   // without which a path has no page
}

func newTown(t *testing.T) *town {
	t.Helper()
	dial := storetest.Redis(t)
	s := storetest.New(t, store.Options{Dial: dial})
	d := &town{t: t, app: deskOver(s), raw: storetest.Commands(t, dial)}
	d.app.publisher = publish.New(s.Articles, nil, publish.Options{})
	d.app.intake = intake.New(s.Nouns(), intake.Options{})
	cfg := *d.app.cfg()
	cfg.Search.Enabled = true
	d.app.config.Store(&cfg)
	var err error
	d.app.entries, err = entryindex.New(s.Nouns(), entryindex.Options{Dir: t.TempDir(), Text: hypertext.PlainText, Gather: time.Millisecond})
	filled(t, err)
	d.app.mountDesk(nil, nil, blocker(nil))
	d.app.people.Reload(people.Access{SignUp: people.SignUpOpen, SignUpPerDay: 100})
	for _, name := range []string{"ann", "bob", "root"} {
		role := feed.RoleMember
		if name == "root" {
			role = feed.RoleAdmin
		}
		filled(t, s.People.AddAccount(t.Context(), feed.Account{Name: name, Role: role, Created: time.Now()}))
		d.signIn(name)
	}
	reader := feed.Token{ID: "0123456789ab", Name: "reader", Creator: "ann", Scopes: feed.RoleMember.Scopes(), Created: time.Now(), Sum: feed.HashSecret("secret")}
	filled(t, s.People.AddToken(t.Context(), reader))
	d.bearer = feed.TokenText(reader.ID, "secret")
	return d
}

// signIn starts a session of an account, whose secret is the name. Some requests end it.
func (d *town) signIn(name string) { d.signInAs(name, name) }

// signInAs starts a session of an account with a secret.
func (d *town) signInAs(name, secret string) {
	a, err := d.app.store.People.Account(d.t.Context(), name)
	filled(d.t, err)
	filled(d.t, d.app.store.People.AddSession(d.t.Context(), feed.Session{
		Sum: feed.SessionSum(secret), AccountID: a.ID, Generation: a.Generation, Created: time.Now(), Seen: time.Now(), Agent: xsstest.Probe, Address: "192.0.2.1",
	}))
}

// byToken is a visitor with a token of ann.
const byToken = "a program"

// send sends a request as a page does, with the session of an account; an empty name: without one.
func (d *town) send(name, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(d.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if web.IsAPI(r.URL.Path) {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	switch name {
	case "":
	case byToken:
		r.Header.Set("Authorization", "Bearer "+d.bearer)
	default:
		a, err := d.app.store.People.Account(d.t.Context(), name)
		filled(d.t, err)
		r.Header.Set("Cookie", fmt.Sprintf("feedwire=%d.%s", a.ID, name))
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	d.app.kit.ServeHTTP(rec, r)
	return rec
}

// does sends a request that must succeed.
func (d *town) does(name, method, path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	body := form.Encode()
	if strings.HasPrefix(path, "/api/") {
		fields := make(map[string]string)
		for field := range form {
			fields[field] = form.Get(field)
		}
		text, _ := json.Marshal(fields) // strings always encode
		body = string(text)
	}
	rec := d.send(name, method, path, body, header...)
	if rec.Code >= http.StatusBadRequest {
		d.t.Fatalf("%s %s %.300s: got %d %s", method, path, body, rec.Code, rec.Body)
	}
	return rec
}

// hostileTexts returns a mark, the probe, and as many payloads as fit in a number of characters, in as many texts as have all of them. A payload
// that is longer is cut.
func hostileTexts(mark string, limit int) (all []string) {
	begin := "in" + mark + " " + xsstest.Probe
	text := begin
	for _, payload := range xsstest.Payloads() {
		payload = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(payload, ""))
		next := []rune(text + " " + payload)
		if text != begin && len(next) > limit {
			all, next = append(all, text), []rune(begin+" "+payload)
		}
		text = string(next[:min(limit, len(next))])
	}
	return append(all, text)
}

// hostileText is the first of hostileTexts.
func hostileText(mark string, limit int) string { return hostileTexts(mark, limit)[0] }

// fill writes each field of members, moderators and editors.
func (d *town) fill() {
	d.t.Helper()
	var numbers []string
	titles, comments := hostileTexts("Title", feed.MaxNewsTitle), hostileTexts("Comment", feed.MaxComment)
	for i, text := range hostileTexts("Text", feed.MaxNewsText) {
		form := url.Values{"title": {titles[i]}, "text": {text}}
		if i == 0 {
			form = url.Values{"title": form["title"], "url": {"https://a.example/?inURL=" + xsstest.Probe + "<img src=x onerror=alert(1)>"}}
		}
		d.raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", 1))
		to := d.does("ann", "POST", "/community/submit", form).Header().Get("Location")
		n := regexp.MustCompile(`/community/news/(\d+)`).FindStringSubmatch(to)
		if n == nil {
			d.t.Fatalf("a submission leads to %s", to)
		}
		numbers = append(numbers, n[1])
		d.does("bob", "POST", "/community/news/"+n[1]+"/comments", url.Values{"body": {comments[i]}})
	}
	first := numbers[0]
	d.does("ann", "POST", "/community/news/"+first+"/comments", url.Values{"body": {hostileText("Reply", feed.MaxComment)}, "parent_id": {"1"}})
	d.does("bob", "POST", "/community/news/"+first+"/vote", url.Values{"vote": {"up"}})
	d.does("bob", "POST", "/community/report/"+first, url.Values{"reason": {"other"}, "note": {hostileText("Note", 280)}})
	d.does("root", "POST", "/community/moderation/hide/"+numbers[1]+"-1", url.Values{"reason": {hostileText("Reason", 200)}})
	d.does("root", "POST", "/lists", url.Values{"name": {"picks"}, "title": {hostileText("List", 100)}, "description": {hostileText("Description", 280)}})
	d.does("root", "POST", "/lists/picks/place", url.Values{"entry": {first}})
	d.does("root", "PUT", "/api/v1/groups/sport/entries/"+first, nil)
	d.does("ann", "POST", "/account/apps", url.Values{"name": {hostileText("App", 64)[:64]}})
	d.does("root", "POST", "/tokens", url.Values{"name": {hostileText("Token", 64)[:64]}, "scopes": {"read"}})
	ann, err := d.app.store.People.Account(d.t.Context(), "ann")
	filled(d.t, err)
	filled(d.t, d.app.store.People.ChangeProfile(d.t.Context(), ann.ID, feed.ProfileChange{
		About: new(hostileText("About", feed.MaxAbout)), Email: new(hostileText("Email", feed.MaxEmail)),
	}))
	link, err := d.app.people.Reset(d.t.Context(), "bob")
	filled(d.t, err)
	_, once, _ := strings.Cut(link.Link, "?")
	d.query = map[string]string{
		"/welcome": once, "/users/feed": fmt.Sprint("userid=", ann.ID), "/api/greader.php/reader/api/0/stream/items/contents": "i=" + first,
		"/api/greader.php/reader/api/0/stream/items/ids": "s=user/-/state/com.google/reading-list",
	}
	for _, path := range []string{"/search", "/api/v1/search", "/api/greader.php/reader/api/0/search/items/ids"} {
		d.query[path] = "q=title"
	}
	d.index()
	tokens, err := d.app.people.Tokens(d.t.Context())
	filled(d.t, err)
	token := tokens[slices.IndexFunc(tokens, func(t feed.Token) bool { return t.Creator == "root" })].ID
	sum := feed.HashSecret("1")
	invitation := feed.Invitation{ID: sum[:16], Sum: sum, Creator: "root", Created: time.Now(), Expires: time.Now().Add(time.Hour)}
	filled(d.t, d.app.store.People.AddInvitation(d.t.Context(), invitation))
	source := feed.SourceID(feed.MemberURL(ann.ID))
	d.values = map[string][]string{
		"n": numbers, "comment": {"1"}, "name": {"ann"}, "member": {"bob"}, "list": {"picks", "sport", "time"}, "sort": {"latest", "top"}, "start": {"0"}, "count": {"32"},
		"id": {source}, "post": {first}, "object": {first, first + "-1"}, "state": {"visible"}, "token": {token}, "guid": {"x"}, "uuid": {"x"}, "type": {"x"}, "signal": {"x"},
		"subscription": {"x"}, "topic": {"x"}, "account": {"x"}, "signature": {"x"}, "letter": {"x"}, "session": {"x"}, "invitation": {invitation.ID}, "made": {"x"}, "group": {"sport"},
		"report": {first}, "rest...": {"x"}, "sum": {"x"}, "user": {"ann"}, "webhook": {"x"}, "entry": {first}, "n...": {first},
	}
}

// index indexes what is stored, until the test ends.
func (d *town) index() {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- d.app.entries.Run(ctx) }()
	d.t.Cleanup(func() {
		cancel()
		filled(d.t, <-done)
	})
	wiretest.Eventually(d.t, "indexed", func() bool { return !d.app.entries.Incomplete() })
}

var wildcard = regexp.MustCompile(`\{([^}$]+)\}`)

// paths returns the paths of a pattern for the values of its parts: each value once.
func (d *town) paths(pattern string) (all []string) {
	d.t.Helper()
	_, path, _ := strings.Cut(strings.ReplaceAll(pattern, "{$}", ""), " ")
	most := 1
	for _, m := range wildcard.FindAllStringSubmatch(path, -1) {
		if len(d.values[m[1]]) == 0 {
			d.t.Errorf("%s: fill names no value of %s", pattern, m[1])
			return nil
		}
		most = max(most, len(d.values[m[1]]))
	}
	for i := range most {
		all = append(all, wildcard.ReplaceAllStringFunc(path, func(part string) string {
			values := d.values[part[1:len(part)-1]]
			return url.PathEscape(values[i%len(values)])
		}))
	}
	return all
}

// harmless fails the test if a response runs in a browser what a member wrote.
func (d *town) harmless(what string, rec *httptest.ResponseRecorder) {
	d.t.Helper()
	kind, body := rec.Header().Get("Content-Type"), rec.Body.String()
	if rec.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(rec.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		d.t.Errorf("%s has the header %v", what, rec.Header())
	}
	switch {
	case rec.Code >= http.StatusInternalServerError && rec.Code != http.StatusServiceUnavailable:
		d.t.Errorf("%s: got %d %s", what, rec.Code, body)
	case strings.HasPrefix(kind, "text/html"):
		for _, fault := range xsstest.Page(ownBookmarklet.ReplaceAllString(body, "")) {
			d.t.Errorf("%s has %s", what, fault)
		}
	case strings.Contains(kind, "json"), strings.Contains(kind, "xml"):
		d.harmlessDocument(what, rec)
	case body != "" && !strings.HasPrefix(kind, "text/"):
		d.t.Errorf("%s is %q", what, kind)
	}
}

// ownBookmarklet is the link of the site that is a script.
var ownBookmarklet = regexp.MustCompile(`<a class="bookmarklet" href="javascript:[^"]*">`)

// bySources matches routes that show what sources write only. testHostileSources and the tests of the desk open them.
var bySources = regexp.MustCompile(`^(/api/v1)?/(articles|sources|feeds|signals|imports|jobs|hub|subscriptions|topics|dead-letters|webhooks|opml|openapi\.yaml|status|settings|events)\b|^/(live|\{\$\}|read/images|media)`)

// unreached are the pages that need mail, pictures of another site, or a password of a reader app.
var unreached = map[string]bool{"/reset-password": true, "/community/avatar/{name}": true, "/api/greader.php/accounts/ClientLogin": true, "/api/greader.php/reader/api/0/subscription/quickadd": true}

// Nothing that members, moderators and editors write runs: in each field, on each page, in each answer of the API, for each visitor. A
// route is opened because it exists.
func TestNothingThatMembersWriteRuns(t *testing.T) {
	d := newTown(t)
	d.fill()
	fields := d.opensPages()
	d.titles()
	d.feeds()
	d.sendsForms(fields)
}

// opensPages opens each page and path of the API as each visitor, with parameters and without. It returns the names of the fields of all forms.
func (d *town) opensPages() map[string]bool {
	d.t.Helper()
	shown, fields, opened, refused := make(map[string]bool), make(map[string]bool), 0, hostileText("Query", 300)
	for _, route := range d.app.kit.Routes() {
		method, pattern, _ := strings.Cut(route.Pattern, " ")
		if method != http.MethodGet || route.Lasts || strings.HasSuffix(pattern, "/events") || bySources.MatchString(pattern) {
			continue
		}
		query := make(url.Values)
		for _, parameter := range route.Query {
			query.Set(parameter, refused)
		}
		reached := false
		for i, path := range d.paths(route.Pattern) {
			for _, visitor := range []string{"ann", "", "root", byToken} {
				rec := d.send(visitor, method, path+"?"+d.query[path], "")
				d.harmless(path+" by "+visitor, rec)
				reached = reached || rec.Code < http.StatusBadRequest
				if page := rec.Body.String(); strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
					for _, m := range markOrField.FindAllStringSubmatch(page, -1) {
						shown[m[1]], fields[m[2]] = true, true
					}
				}
				if i > 0 { // other visitors see the same texts
					break
				}
				d.harmless(path+" with parameters by "+visitor, d.send(visitor, method, path+"?"+query.Encode(), ""))
			}
		}
		if opened++; !reached && !unreached[pattern] {
			d.t.Errorf("%s was not reached", route.Pattern)
		}
	}
	for _, mark := range strings.Fields("Title Text URL Comment Reply Note Reason List Description App Token About Email") {
		if !shown[mark] {
			d.t.Errorf("of %d pages none shows %s", opened, mark)
		}
	}
	delete(fields, "")
	return fields
}

// markOrField matches the mark of a text and the name of a field of a form.
var markOrField = regexp.MustCompile(`\bin([A-Z]\w+)| name="(\w+)"`)

// sendsForms sends each form, with the probe in all fields that there are: in texts that are refused, and in others.
func (d *town) sendsForms(fields map[string]bool) {
	d.t.Helper()
	d.values["name"] = d.values["member"] // who may be removed
	text := hostileText("Form", 200)
	for _, route := range d.app.kit.Routes() {
		method, pattern, _ := strings.Cut(route.Pattern, " ")
		if method == http.MethodGet || web.IsAPI(pattern) || bySources.MatchString(pattern) {
			continue
		}
		refused, form := make(url.Values), make(url.Values)
		for field := range fields {
			if route.MaxBody == 0 || route.MaxBody > 32<<10 || slices.Contains([]string{"name", "email", "once", "password", "again"}, field) {
				refused.Set(field, text+"\x01")
				form.Set(field, text)
			}
		}
		for _, visitor := range []string{"", "ann", "root"} {
			path := d.paths(route.Pattern)[0]
			d.harmless(method+" "+path+" with refused texts by "+visitor, d.send(visitor, method, path, refused.Encode()))
			rec := d.send(visitor, method, path, form.Encode())
			d.harmless(method+" "+path+" by "+visitor, rec)
			if rec.Code == http.StatusRequestEntityTooLarge {
				d.t.Errorf("%s: the form is too long", path)
			}
			if visitor != "" { // the form may end sessions
				d.signIn(visitor)
			}
		}
	}
}

// titles looks at all payloads in titles, of as many submissions at once as there are.
func (d *town) titles() {
	d.t.Helper()
	for group := range slices.Chunk(hostileTexts("Title", feed.MaxNewsTitle), len(d.values["n"])) {
		for i, title := range group {
			d.raw.Do("HSET", "news:"+d.values["n"][i], "title", title)
		}
		d.harmless("titles", d.send("ann", http.MethodGet, "/community/latest", ""))
	}
}

// feeds looks for the probe as an element of the feeds of lists. Package republish judges what readers show of them.
func (d *town) feeds() {
	d.t.Helper()
	for _, list := range d.values["list"] {
		for _, format := range []string{"rss", "atom", "json"} {
			r := httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "/lists/"+list+"."+format, nil)
			r.SetPathValue("list", list+"."+format)
			rec := httptest.NewRecorder()
			d.app.republish.ServeList(rec, r)
			if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "inTitle") {
				d.t.Errorf("%s: got %d %s", r.URL, rec.Code, rec.Body)
			}
			d.harmlessDocument(r.URL.Path, rec)
		}
	}
}

// harmlessDocument fails the test if a document is not well-formed, or the probe is an element of it.
func (d *town) harmlessDocument(what string, rec *httptest.ResponseRecorder) {
	d.t.Helper()
	if strings.Contains(rec.Header().Get("Content-Type"), "json") {
		if !json.Valid(rec.Body.Bytes()) {
			d.t.Errorf("%s is no JSON: %s", what, rec.Body)
		}
		return
	}
	for dec := xml.NewDecoder(rec.Body); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if element, ok := token.(xml.StartElement); err != nil || ok && element.Name.Local == "xss-probe" {
			d.t.Errorf("%s: %v %v", what, err, element)
			return
		}
	}
}
