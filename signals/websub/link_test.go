package websub_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/websub"
)

func TestLinksAreReadAsRFC8288Writes(t *testing.T) {
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
			[]websub.Link{{Target: "https://h.example/a,b;c", Rels: []string{"hub"}}},
		},
		"only the first rel counts": {[]string{`<https://hub.example/>; rel=hub; rel=self`}, []websub.Link{hub}},
		"parameter without value":   {[]string{`<https://hub.example/>; crossorigin; rel=hub`}, []websub.Link{hub}},
		"anchor": {
			[]string{`<https://hub.example/>; rel=hub; anchor="/other"`},
			[]websub.Link{{Target: "https://hub.example/", Rels: []string{"hub"}, Anchor: "/other"}},
		},
		"quote that does not end":  {[]string{`<https://hub.example/>; rel="hub`}, []websub.Link{hub}},
		"target that does not end": {[]string{`<https://hub.example/>; rel=hub, <https://me`}, []websub.Link{hub}},
		"junk":                     {[]string{`hub`, `<`, `;;;`, ``}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, websub.ParseLinks(c.fields)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLinksAreBounded(t *testing.T) {
	field := strings.Repeat(`<https://hub.example/>; rel=hub,`, 500)
	if n := len(websub.ParseLinks([]string{field, field})); n != 100 {
		t.Errorf("got %d links", n)
	}
}

func FuzzParseLinks(f *testing.F) {
	f.Add(`<https://hub.example/>; rel="hub", <https://me.example/feed>; rel="self"`)
	f.Add(`<a>;title="\\\"";rel=hub;anchor=x,<b>`)
	f.Add(`<>;;=;rel`)
	f.Fuzz(func(t *testing.T, field string) {
		for _, l := range websub.ParseLinks([]string{field}) {
			if strings.Contains(l.Target, ">") || !strings.Contains(field, l.Target) {
				t.Errorf("target %q is not in %q", l.Target, field)
			}
			for _, rel := range l.Rels {
				if rel == "" || strings.ContainsAny(rel, " \t") || rel != strings.ToLower(rel) {
					t.Errorf("relation %q of %q", rel, field)
				}
			}
			// A link that was understood reads the same when it is written plainly.
			plain := "<" + l.Target + `>; rel="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Join(l.Rels, " ")) + `"`
			again := websub.ParseLinks([]string{plain})
			if len(again) != 1 || again[0].Target != l.Target || !cmp.Equal(strings.Join(again[0].Rels, " "), strings.Join(l.Rels, " ")) {
				t.Errorf("%q reads as %v, not %v", plain, again, l)
			}
		}
	})
}
