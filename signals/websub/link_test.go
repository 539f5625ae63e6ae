package websub_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/signals/websub"
)

func TestParseLinksFollowsRFC8288(t *testing.T) {
	t.Parallel()
	hub := websub.Link{Target: "https://hub.example/", Rels: []string{"hub"}}
	self := websub.Link{Target: "https://me.example/feed", Rels: []string{"self"}}
	for name, c := range map[string]struct {
		fields []string
		want   []websub.Link
	}{
		"two fields":  {[]string{`<https://hub.example/>; rel="hub"`, `<https://me.example/feed>; rel="self"`}, []websub.Link{hub, self}},
		"one field":   {[]string{`<https://hub.example/>; rel="hub", <https://me.example/feed>; rel="self"`}, []websub.Link{hub, self}},
		"no spaces":   {[]string{`<https://hub.example/>;rel=hub,<https://me.example/feed>;rel=self`}, []websub.Link{hub, self}},
		"many spaces": {[]string{` , ,	<https://hub.example/> ;  REL = "HUB"  , <https://me.example/feed> ; rel = self `}, []websub.Link{hub, self}},
		"list of relations": {
			[]string{`<https://hub.example/>; rel="hub  self"`},
			[]websub.Link{{Target: "https://hub.example/", Rels: []string{"hub", "self"}}},
		},
		"comma and semicolon in the target and in quotes": {
			[]string{`<https://h.example/a,b;c>; title="x, <y>; rel=\"self\""; rel=hub`},
			[]websub.Link{{Target: "https://h.example/a,b;c", Rels: []string{"hub"}, Title: `x, <y>; rel="self"`}},
		},
		"only the first rel counts": {[]string{`<https://hub.example/>; rel=hub; rel=self`}, []websub.Link{hub}},
		"parameter without value":   {[]string{`<https://hub.example/>; crossorigin; rel=hub`}, []websub.Link{hub}},
		"anchor": {
			[]string{`<https://hub.example/>; rel=hub; anchor="/other"`},
			[]websub.Link{{Target: "https://hub.example/", Rels: []string{"hub"}, Anchor: "/other"}},
		},
		"type and title": {
			[]string{`</f.json>; rel="me alternate"; type="application/feed+json"; title="a, \"b\"; c", <rss>;TYPE=text/xml;rel=alternate;type=x`},
			[]websub.Link{
				{Target: "/f.json", Rels: []string{"me", "alternate"}, Type: "application/feed+json", Title: `a, "b"; c`},
				{Target: "rss", Rels: []string{"alternate"}, Type: "text/xml"},
			},
		},
		"empty parameter before one": {[]string{`<https://hub.example/>;; =x; rel=hub`}, []websub.Link{hub}},
		"semicolons left out":        {[]string{`<https://hub.example/> flag rel="hub" title="x", <https://me.example/feed> rel=self`}, []websub.Link{{Target: hub.Target, Rels: hub.Rels, Title: "x"}, self}},
		"comma left out":             {[]string{`<https://hub.example/>; rel="hub" <https://me.example/feed>; rel=self`}, []websub.Link{hub, self}},
		"no parameters":              {[]string{`<a>, <b>`}, []websub.Link{{Target: "a", Rels: []string{}}, {Target: "b", Rels: []string{}}}},
		"first rel is empty":         {[]string{`<a>; rel=""; rel=hub`}, []websub.Link{{Target: "a", Rels: []string{}}}},
		"quote that does not end":    {[]string{`<https://hub.example/>; rel="hub`}, []websub.Link{hub}},
		"target that does not end":   {[]string{`<https://hub.example/>; rel=hub, <https://me`}, []websub.Link{hub}},
		"junk":                       {[]string{`hub`, `hub; rel=hub`, `<hub; rel=hub`, `<`, `;;;`, ``}, nil},
		"junk ends its field only":   {[]string{`<https://hub.example/>; rel=hub, hub, <c>; rel=hub`, `<https://me.example/feed>; rel=self`}, []websub.Link{hub, self}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, websub.ParseLinks(c.fields)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLinksAreBounded(t *testing.T) {
	t.Parallel()
	field := strings.Repeat(`<https://hub.example/>; rel=hub,`, 500)
	if n := len(websub.ParseLinks([]string{field, field})); n != 100 {
		t.Errorf("got %d links", n)
	}
}

func FuzzParseLinks(f *testing.F) {
	f.Add(`<https://hub.example/>; rel="hub", <https://me.example/feed>; rel="self"`)
	f.Add(`<a>;title="\\\"";rel=hub;anchor=x,<b>`)
	f.Add(`<a>; rel="x \"alternate"; t=<b>, <c> type=text/xml rel=alternate; title="a, b"`)
	f.Add(`<>;;=;rel`)
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	f.Fuzz(func(t *testing.T, field string) {
		links := websub.ParseLinks([]string{field})
		if len(links) > 100 {
			t.Errorf("%d links", len(links))
		}
		for _, l := range links {
			if strings.Contains(l.Target, ">") || !strings.Contains(field, l.Target) {
				t.Errorf("target %q is not in %q", l.Target, field)
			}
			for _, rel := range l.Rels {
				if rel == "" || strings.ContainsAny(rel, " \t") || rel != strings.ToLower(rel) {
					t.Errorf("relation %q of %q", rel, field)
				}
			}
			// A link that was understood reads the same when it is written plainly.
			plain := fmt.Sprintf(`<%s>; rel="%s"; anchor="%s"; type="%s"; title="%s"`,
				l.Target, quote(strings.Join(l.Rels, " ")), quote(l.Anchor), quote(l.Type), quote(l.Title))
			if diff := cmp.Diff([]websub.Link{l}, websub.ParseLinks([]string{plain}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%q (-want +got):\n%s", plain, diff)
			}
		}
	})
}
