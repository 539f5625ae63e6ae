package lamernews_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented is a row of the table of calls.
type documented struct {
	required []string // parameters that must not be empty
	present  []string // parameters that may be empty, and must be sent
	fields   []string // of a response beside status
}

var (
	rowOfCall   = regexp.MustCompile("(?m)^\\| `((?:GET|POST) [^`]+)` \\|([^|]*)\\|([^|]*)\\|$")
	parameter   = regexp.MustCompile("`(\\w+)`(!?)( \\(optional\\))?")
	quoted      = regexp.MustCompile("`(\\w+)`")
	fieldsOfOne = regexp.MustCompile(`(?s)A (?:submission in .news.|comment) has (.+?)\.`)
	consoleCall = regexp.MustCompile(`\$ curl -s http://127.0.0.1:8080/community/api/(\S+)\n(.+)\n`)
)

// quotedIn returns the words that are quoted in a text.
func quotedIn(text string) (all []string) {
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "lamernews-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documentedCalls returns the table of calls by method and path.
func documentedCalls(docs string) map[string]documented {
	all := make(map[string]documented)
	for _, row := range rowOfCall.FindAllStringSubmatch(docs, -1) {
		var d documented
		for part := range strings.SplitSeq(row[3], ";") {
			named, rest, _ := strings.Cut(part, ":") // of "`op`: `insert`" the first, of "with a password: `auth`" the second
			if fields := quotedIn(named); len(fields) > 0 {
				d.fields = append(d.fields, fields...)
			} else {
				d.fields = append(d.fields, quotedIn(rest)...)
			}
		}
		method, _, _ := strings.Cut(row[1], " ")
		for _, m := range parameter.FindAllStringSubmatch(row[2], -1) {
			switch {
			case method == http.MethodGet: // in the path
			case m[2] != "":
				d.required = append(d.required, m[1])
			case m[3] == "" && m[1] != "up" && m[1] != "down" && m[1] != "url" && m[1] != "text":
				d.present = append(d.present, m[1])
			}
		}
		all[row[1]] = d
	}
	return all
}

// reply is the response to a call as a program reads it.
type reply map[string]json.RawMessage

// replays sends a documented call: it is refused without who sends it, without the secret, and without each parameter. Then it succeeds with the
// documented fields.
func (c *client) replays(call string, d documented, form url.Values) reply {
	c.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	refused := func(what, because string, by *client, form url.Values) {
		c.t.Helper()
		var got reply
		if body := by.send(method, path, form); json.Unmarshal(body, &got) != nil || len(got) != 2 || string(got["status"]) != `"err"` || !strings.Contains(string(got["error"]), because) {
			c.t.Errorf("%s %s: got %s", call, what, body)
		}
	}
	if method == http.MethodPost && c.auth != "" {
		refused("without a cookie", "Not authenticated.", c.stranger(), form)
		refused("without the secret", "Wrong form secret.", &client{site: c.site, auth: c.auth}, form)
	}
	without := func(name string, values ...string) url.Values {
		changed := maps.Clone(form)
		if delete(changed, name); len(values) > 0 {
			changed[name] = values
		}
		return changed
	}
	for _, name := range d.required {
		refused("with an empty "+name, "", c, without(name, " \t"))
		refused("without "+name, "", c, without(name))
	}
	for _, name := range d.present {
		refused("without "+name, "", c, without(name))
	}
	var got reply
	body := c.send(method, path, form)
	if json.Unmarshal(body, &got) != nil || string(got["status"]) != `"ok"` {
		c.t.Fatalf("%s %v: got %s", call, form, body)
	}
	return got
}

// The reference of the API is replayed: each call, with and without each parameter, and each field of its response.
func TestDocumentedCallsAnswerAsDocumented(t *testing.T) {
	s, docs := newSite(t), readDocs(t)
	calls := documentedCalls(docs)
	replayed := make(map[string]bool)
	replay := func(c *client, call, path string, pairs ...string) reply {
		t.Helper()
		d, ok := calls[call]
		if !ok {
			t.Errorf("%s is not documented", call)
		}
		replayed[call] = true
		got := c.replays(path, d, form(pairs...))
		delete(got, "status")
		if fields := slices.Sorted(maps.Keys(got)); !slices.Equal(fields, slices.Sorted(slices.Values(d.fields))) {
			t.Errorf("%s returns %v, and %v is documented", call, fields, d.fields)
		}
		return got
	}
	send := func(c *client, path string, pairs ...string) reply {
		return replay(c, "POST "+path, "POST "+path, pairs...)
	}
	text := func(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

	example := consoleCall.FindStringSubmatch(docs)
	if got := strings.TrimSpace(string(s.stranger().send("GET", example[1], nil))); got != example[2] {
		t.Errorf("%s returns %s, and %s is documented", example[1], got, example[2])
	}
	made := send(s.stranger(), "create_account", "username", "ann", "password", password)
	ann := &client{site: s, name: "ann", auth: text(made["auth"]), secret: text(made["apisecret"])}
	phone := send(s.stranger(), "login", "username", "ann", "password", password)
	send(s.stranger(), "reset-password", "username", "ann", "email", "ann@example.org")
	n := text(send(ann, "submit", "news_id", "-1", "title", "One", "url", "https://a.example/one")["news_id"])
	send(ann, "submit", "news_id", n, "title", "One", "text", "Why?")
	bob := s.member("bob")
	send(bob, "votenews", "news_id", n, "vote_type", "up")
	comment := func(by *client, op, c, parent, body string) string {
		t.Helper()
		got := send(by, "postcomment", "news_id", n, "comment_id", c, "parent_id", parent, "comment", body)
		if text(got["op"]) != op || text(got["parent_id"]) != parent || text(got["news_id"]) != n {
			t.Errorf("%s returns %s", op, got)
		}
		return text(got["comment_id"])
	}
	c := comment(ann, "insert", "-1", "-1", "First")
	comment(ann, "update", c, "-1", "Second")
	comment(bob, "insert", "-1", c, "Reply")
	if got := send(bob, "votecomment", "comment_id", n+"-"+c, "vote_type", "down"); text(got["comment_id"]) != n+"-"+c {
		t.Errorf("votecomment returns %s", got)
	}
	comment(ann, "delete", c, "-1", "")
	list := replay(bob, "GET getnews/<sort>/<start>/<count>", "GET getnews/top/0/32")
	thread := replay(bob, "GET getcomments/<news>", "GET getcomments/"+n)
	for i, array := range []json.RawMessage{list["news"], thread["comments"]} {
		var items []map[string]any
		if err := json.Unmarshal(array, &items); err != nil || len(items) != 1 {
			t.Fatalf("%v: %s", err, array)
		}
		if replies, ok := items[0]["replies"].([]any); ok { // the comment is deleted, the reply is voted for by its author
			maps.Copy(items[0], replies[0].(map[string]any))
		}
		want := quotedIn(fieldsOfOne.FindAllStringSubmatch(docs, -1)[i][1])
		if fields := slices.Sorted(maps.Keys(items[0])); !slices.Equal(fields, slices.Sorted(slices.Values(want))) {
			t.Errorf("an item has %v, and %v is documented", fields, want)
		}
	}
	if got := send(ann, "delnews", "news_id", n); text(got["news_id"]) != "-1" {
		t.Errorf("delnews returns %s", got)
	}
	if got := ann.post("updateprofile", "about", "x", "email", "", "password", ""); got.Auth != "" {
		t.Errorf("updateprofile without a password returns %+v", got)
	}
	next := send(ann, "updateprofile", "about", "x", "email", "", "password", "other words are fine")
	(&client{site: s, auth: text(phone["auth"]), secret: text(phone["apisecret"])}).refuses("not authenticated", "logout")
	send(&client{site: s, auth: text(next["auth"]), secret: text(next["apisecret"])}, "logout")
	for call := range calls {
		if !replayed[call] {
			t.Errorf("%s was not replayed", call)
		}
	}
}

// Every call of the program is documented in the table, beside those with GET that exist for old programs.
func TestCallsAreDocumented(t *testing.T) {
	documented := []string{"GET login", "GET reset-password"}
	for call := range documentedCalls(readDocs(t)) {
		documented = append(documented, call)
	}
	slices.Sort(documented)
	var served []string
	for _, route := range newSite(t).kit.Routes() {
		if method, path, ok := strings.Cut(route.Pattern, " /community/api/"); ok {
			served = append(served, method+" "+strings.NewReplacer("{n}", "<news>", "{", "<", "}", ">").Replace(path))
		}
	}
	if slices.Sort(served); !slices.Equal(served, documented) {
		t.Errorf("the calls are %v, and documented %v", served, documented)
	}
}

// Only a form that cannot be read, or is too long, gets another status than 200.
func TestFormThatCannotBeReadIsNoCall(t *testing.T) {
	s := newSite(t)
	for body, want := range map[string]int{"a=%zz": 400, strings.Repeat("a", 128<<10+1): 413, "a=" + strings.Repeat("b", 100<<10): 200} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/community/api/login", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := httptest.NewRecorder()
		s.kit.ServeHTTP(rec, r)
		if rec.Code != want {
			t.Errorf("%.10s: got %d, want %d", body, rec.Code, want)
		}
	}
}
