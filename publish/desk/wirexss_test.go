//go:build !race

package desk_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// payloads are what a source may write into any of its fields to have a reader's browser do something.
func payloads() []string {
	return []string{
		`"><script>alert(1)</script><a href='javascript:alert(2)'>`, `'><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `JaVa	ScRiPt:alert(1)`,
		`data:text/html,<script>alert(1)</script>`, `</title><svg/onload=alert(1)>`, `--><iframe srcdoc="<script>alert(1)</script>">`, `{{.}}${alert(1)}`,
		"vbscript:msgbox(1)", `" autofocus onfocus=alert(1) x="`, `</textarea><form action="https://evil.example/"><button>`, "\u202e\u0000<b>",
	}
}

var (
	linksOf = regexp.MustCompile(`(?i)\s(?:href|src|action|formaction|srcdoc)="([^"]*)"`)
	tagsOf  = regexp.MustCompile(`(?is)<([a-z][a-z0-9]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*/?>`)
	begins  = regexp.MustCompile(`<[a-zA-Z]`)
	quoted  = regexp.MustCompile(`"[^"]*"`)
	handles = regexp.MustCompile(`\son[a-z]+(=|$)`)
)

// harmless checks that a page has no markup but its own.
func harmless(t testing.TB, where, html, attack string) {
	t.Helper()
	if rest := tagsOf.ReplaceAllString(html, ""); begins.MatchString(rest) {
		t.Errorf("%s, %q: there is a tag that the page did not write:\n%.500s", where, attack, rest)
	}
	for _, m := range tagsOf.FindAllStringSubmatch(html, -1) {
		name, attributes := strings.ToLower(m[1]), strings.ToLower(m[2])
		switch name {
		case "iframe", "img", "object", "embed", "base", "b":
			if name != "b" || attributes != "" {
				t.Errorf("%s, %q: %s", where, attack, m[0])
			}
		case "script":
			if !ownScripts.MatchString(m[0]) {
				t.Errorf("%s, %q: %s", where, attack, m[0])
			}
		}
		if handles.MatchString(quoted.ReplaceAllString(attributes, "")) {
			t.Errorf("%s, %q: a handler in %s", where, attack, m[0])
		}
	}
	for _, m := range linksOf.FindAllStringSubmatch(html, -1) {
		to := strings.ToLower(strings.TrimSpace(m[1]))
		if scheme, _, ok := strings.Cut(to, ":"); ok && scheme != "http" && scheme != "https" && !strings.ContainsAny(scheme, "/?#") {
			t.Errorf("%s, %q: a link to %s", where, attack, m[1])
		}
	}
}

func TestNothingThatASourceWritesRuns(t *testing.T) {
	for _, x := range payloads() {
		const id, uuid, at = "0123456789ab", "00000000-0000-4000-8000-000000000001", "1795206000000-0"
		s := feed.Source{
			ID: id, URL: x, Feeds: []string{x}, Publish: feed.PublishMode(x), Categories: []string{x},
			About: feed.About{Title: x, Link: x, Language: x, Description: x},
			Poll: feed.PollState{
				Errors: 5, ErrorClass: x, ErrorText: x, NextReason: x, NextPoll: noon, ETag: x, LastModified: x, Validated: x, Format: x,
				Move: feed.Move{To: x, Seen: 1},
			},
			Push: feed.Push{State: feed.PushState(x), Hub: x, Topic: x, ErrorText: x}, Polls: []feed.Poll{{Time: noon, Class: x}},
			Request: feed.Request{Headers: map[string]string{x: x}, Username: x, Proxy: x},
		}
		e := feed.Entry{ID: "Entry:1", FeedURL: x, GUID: x, Title: x, Link: x, Content: x, Summary: x, Authors: []string{x}, Timestamp: noon}
		signal := feed.Signal{
			ID: at, Kind: feed.SignalKind(x), FeedURL: x, GUID: x, Entry: x, Digest: x, Time: noon, Post: &e, Changed: map[string]feed.Change{x: {From: x, To: x}},
		}
		store := newFakeStore()
		store.sources[id], store.entries, store.signals = s, []feed.Entry{e}, []feed.Signal{signal}
		article := feed.Article{UUID: uuid, FeedURL: x, GUID: x, Title: x, Canonical: x, Authors: []string{x}, Feeds: map[string]feed.Placement{
			"production": {State: feed.StatePublished, Published: noon}}}
		held := article
		held.UUID, held.GUID = "00000000-0000-4000-8000-000000000002", "held"
		store.articles[uuid], store.articles[held.UUID] = article, held
		store.visits = []feed.Visit{{Time: noon, Client: x, Status: 200}}
		store.jobs["j"] = feed.Job{ID: "j", State: feed.JobInterrupted, Error: x, Total: 1}
		store.results["j"] = []feed.JobResult{{URL: x, Title: x, Source: x, Outcome: feed.JobRefused, Reason: x}, {URL: x, Title: x, Source: x, Outcome: feed.JobAdded}}
		h := &fakeHub{letters: []feed.DeadLetter{{ID: at, Subscription: x, Topic: x, Reason: x, Time: noon}}}
		h.all = []feed.Subscription{{ID: "sub", Topic: x, Callback: x, Kind: feed.SubscriptionKind(x), Health: feed.Health{Failures: 1, Reason: x, Since: noon}}}

		o := newOffice(t, func(opts *deskOptions) {
			opts.Hub, opts.Version = h, x
			opts.Blocked = func(a *feed.Article, _ string) string { return map[bool]string{true: x}[a.GUID == "held"] }
			opts.Pace = func(*feed.Source) []feed.PaceRule { return []feed.PaceRule{{Name: x, Text: x}} }
			opts.Events = http.NotFoundHandler()
			opts.Settings = []feed.Setting{{Key: x, Value: x, Origin: x}}
			opts.Discover = func(context.Context, string) ([]feed.Candidate, error) {
				return []feed.Candidate{{URL: x, Title: x, Type: x, Found: feed.Discovery(x)}, {URL: x}}, nil
			}
			opts.Peek = func(context.Context, string) (feed.Document, error) {
				return feed.Document{About: s.About, Entries: []feed.Entry{e}}, nil
			}
			opts.Trace = func(context.Context, string, bool) (feed.Trace, error) {
				return feed.Trace{
					Source: x, URL: x, Why: x, Document: x, After: &s, Found: []feed.Candidate{{URL: x, Title: x}},
					Requests: []feed.TraceRequest{{
						URL: x, Proxy: x, TLS: x, Status: x, Encoding: x, Error: x, Sent: map[string]string{x: x}, Got: map[string]string{x: x},
						Addresses: []feed.TraceAddress{{Address: x, Verdict: x}},
					}},
					Entries: []feed.TraceEntry{{GUID: x, Title: x, Verdict: feed.Verdict(x), Why: x}},
				}, nil
			}
		})
		o.desk = newDesk(store, o.opts)
		b := o.in("adm", feed.RoleAdmin)
		q := url.QueryEscape(x)
		for _, path := range []string{
			"/sources", "/sources?q=" + q + "&state=" + q, "/sources/" + id, "/sources/add?url=" + q, "/sources/import", "/imports/j", "/feeds", "/feeds/production",
			"/signals", "/signals?q=" + q + "&kind=" + q, "/signals/" + at, "/subscriptions", "/subscriptions/sub", "/dead-letters", "/settings",
			"/sources?did=" + q + "&to=" + q, "/signals/" + url.PathEscape(x), "/feeds/" + url.PathEscape(x),
		} {
			rec := b.send(http.MethodGet, path, nil)
			harmless(t, path, rec.Body.String(), x)
		}
		for _, path := range []string{"/sources/find", "/sources/preview", "/sources", "/sources/" + id + "/trace"} {
			for _, address := range []string{x, "https://new.example/"} {
				rec := b.send(http.MethodPost, path, url.Values{"url": {address}, "categories": {x}, "interval": {x}, "feed": {x}, "publish": {x}})
				harmless(t, "POST "+path, rec.Body.String(), x)
			}
		}
		if html := b.gets("/signals/"+at, 200); strings.Count(html, "alert")+strings.Count(html, "evil")+strings.Count(html, "&lt;b&gt;")+strings.Count(html, "msgbox") < 6 {
			t.Errorf("%q: the page does not show the fields under test", x)
		}
	}
}

// complaints takes what harmless has to say.
type complaints struct {
	testing.TB
	n int
}

func (c *complaints) Errorf(string, ...any) { c.n++ }

func TestHarmIsSeen(t *testing.T) {
	for html, harm := range map[string]bool{
		`<p class="a">b</p><script src="/assets/wire.js?v=0123456789ab" defer></script><a href="https://a.example/x?y=z:1">`: false,
		`<script>alert(1)</script>`: true, `<img src=x onerror=alert(1)>`: true, `<svg onload="alert(1)">`: true,
		`<a href="javascript:alert(1)">`: true, `<a href='x'>`: true, `<form action="data:text/html,x">`: true, `<b>`: false,
	} {
		c := &complaints{TB: t}
		harmless(c, "", html, "")
		if (c.n > 0) != harm {
			t.Errorf("%s: %d complaints", html, c.n)
		}
	}
}
