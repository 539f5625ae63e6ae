//go:build !race

package desk_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
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
			if webtest.HoldsScript(m[0]) {
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

// hostile is a store with one object of each kind, whose fields others have written.
type hostile struct {
	*storetest.Newsroom
	source       feed.Source
	entry        feed.Entry
	signal       feed.Signal
	article      feed.Article
	visit        feed.Visit
	job          feed.Job
	results      []feed.JobResult
	letter       feed.DeadLetter
	subscription feed.Subscription
}

func (h *hostile) Source(_ context.Context, id string) (feed.Source, error) {
	if id != h.source.ID {
		return feed.Source{}, feed.ErrNotFound
	}
	return h.source, nil
}

func (h *hostile) SourceWithEntries(ctx context.Context, id string, _ int) (feed.Source, []feed.Entry, error) {
	s, err := h.Source(ctx, id)
	return s, []feed.Entry{h.entry}, err
}

func (h *hostile) AddSource(_ context.Context, s feed.Source) (feed.Source, bool, error) {
	return s, true, nil
}

func (h *hostile) ListSources(context.Context) ([]feed.Source, error) {
	return []feed.Source{h.source}, nil
}

func (h *hostile) FeedStates(_ context.Context, types []string, _ int) ([]feed.OutgoingState, error) {
	return slices.Repeat([]feed.OutgoingState{h.state()}, len(types)), nil
}

func (h *hostile) FeedState(context.Context, string, int, int) (feed.OutgoingState, error) {
	return h.state(), nil
}

func (h *hostile) state() feed.OutgoingState {
	return feed.OutgoingState{Published: []feed.Article{h.article}, Visits: []feed.Visit{h.visit}}
}

func (h *hostile) FindSignals(context.Context, feed.SignalQuery) ([]feed.Signal, string, error) {
	return []feed.Signal{h.signal}, "", nil
}

func (h *hostile) Signal(_ context.Context, id string) (feed.Signal, error) {
	if id != h.signal.ID {
		return feed.Signal{}, feed.ErrNotFound
	}
	return h.signal, nil
}

func (h *hostile) Job(context.Context, string, int, int) (feed.Job, []feed.JobResult, error) {
	return h.job, h.results, nil
}

func (h *hostile) HubView(context.Context, string, string, int) (feed.HubView, error) {
	return feed.HubView{
		Topics:        []feed.Topic{{ID: "t", URL: h.subscription.Topic, Subscribers: 1}},
		Subscriptions: []feed.Subscription{h.subscription},
	}, nil
}

func (h *hostile) Subscription(context.Context, string) (feed.Subscription, error) {
	return h.subscription, nil
}

func (h *hostile) DeadLetters(context.Context, string, int) ([]feed.DeadLetter, error) {
	return []feed.DeadLetter{h.letter}, nil
}

func TestNothingThatASourceWritesRuns(t *testing.T) {
	for _, x := range payloads() {
		const id, uuid, at = "0123456789ab", "00000000-0000-4000-8000-000000000001", "1795206000000-0"
		s := feed.Source{
			ID: id, URL: x, Feeds: []string{x}, Publish: feed.PublishMode(x), Categories: []string{x},
			About: feed.About{Title: x, Link: x, Language: x, Description: x},
			Poll: feed.PollState{
				Errors: 5, ErrorClass: x, ErrorText: x, NextReason: x, NextPoll: webtest.Noon(), ETag: x, LastModified: x, Validated: x, Format: x,
				Move: feed.Move{To: x, Seen: 1},
			},
			Push: feed.Push{State: feed.PushState(x), Hub: x, Topic: x, ErrorText: x}, Polls: []feed.Poll{{Time: webtest.Noon(), Class: x}},
			Request: feed.Request{Headers: map[string]string{x: x}, Username: x, Proxy: x},
		}
		e := feed.Entry{ID: "Entry:1", FeedURL: x, GUID: x, Title: x, Link: x, Content: x, Summary: x, Authors: []string{x}, Timestamp: webtest.Noon()}
		signal := feed.Signal{
			ID: at, Kind: feed.SignalKind(x), FeedURL: x, GUID: x, Entry: x, Digest: x, Time: webtest.Noon(), Post: &e, Changed: map[string]feed.Change{x: {From: x, To: x}},
		}
		blocked := feed.Article{UUID: uuid, FeedURL: x, GUID: x, Title: x, Canonical: x, Authors: []string{x}, Feeds: map[string]feed.Placement{
			"production": {State: feed.StatePublished, Published: webtest.Noon()}}}
		n := storetest.EmptyNewsroom(t)
		d := newDesk(&hostile{
			Newsroom: n, source: s, entry: e, signal: signal, article: blocked,
			visit: feed.Visit{Time: webtest.Noon(), Client: x, Status: 200},
			job:   feed.Job{ID: "j", State: feed.JobInterrupted, Error: x, Total: 1},
			results: []feed.JobResult{
				{URL: x, Title: x, Source: x, Outcome: feed.JobRefused, Reason: x}, {URL: x, Title: x, Source: x, Outcome: feed.JobAdded},
			},
			letter: feed.DeadLetter{ID: at, Subscription: x, Topic: x, Reason: x, Time: webtest.Noon()},
			subscription: feed.Subscription{
				ID: "sub", Topic: x, Callback: x, Kind: feed.SubscriptionKind(x), Health: feed.Health{Failures: 1, Reason: x, Since: webtest.Noon()},
			},
		}, func(opts *options) {
			opts.web.Version = x
			opts.blocked = func(*feed.Article, string) string { return x }
			opts.sources.Pace = func(*feed.Source) []feed.PaceRule { return []feed.PaceRule{{Name: x, Text: x}} }
			opts.settings = []feed.Setting{{Key: x, Value: x, Origin: x}}
			opts.sources.Discover = func(context.Context, string) ([]feed.Candidate, error) {
				return []feed.Candidate{{URL: x, Title: x, Type: x, Found: feed.Discovery(x)}, {URL: x}}, nil
			}
			opts.sources.Peek = func(context.Context, string) (feed.Document, error) {
				return feed.Document{About: s.About, Entries: []feed.Entry{e}}, nil
			}
			opts.sources.Trace = func(context.Context, string, bool) (feed.Trace, error) {
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
		b := d.signIn(t, n, "adm", feed.RoleAdmin)
		q := url.QueryEscape(x)
		for _, path := range []string{
			"/sources", "/sources?q=" + q + "&state=" + q, "/sources/" + id, "/sources/add?url=" + q, "/sources/import", "/imports/j", "/feeds", "/feeds/production",
			"/signals", "/signals?q=" + q + "&kind=" + q, "/signals/" + at, "/subscriptions", "/subscriptions/sub", "/topics/" + url.PathEscape(x), "/dead-letters", "/settings",
			"/sources?did=" + q + "&to=" + q, "/signals/" + url.PathEscape(x), "/feeds/" + url.PathEscape(x),
		} {
			rec := b.Send(http.MethodGet, path, nil)
			harmless(t, path, rec.Body.String(), x)
		}
		for _, path := range []string{"/sources/find", "/sources/preview", "/sources", "/sources/" + id + "/trace"} {
			for _, address := range []string{x, "https://new.example/"} {
				rec := b.Send(http.MethodPost, path, url.Values{"url": {address}, "categories": {x}, "interval": {x}, "feed": {x}, "publish": {x}})
				harmless(t, "POST "+path, rec.Body.String(), x)
			}
		}
		if html := b.Get("/signals/"+at, 200); strings.Count(html, "alert")+strings.Count(html, "evil")+strings.Count(html, "&lt;b&gt;")+strings.Count(html, "msgbox") < 6 {
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
