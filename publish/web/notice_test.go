package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestNoticeHasTheFormThatUndoesIt(t *testing.T) {
	all := Notices{"moved": {One: "Moved.", Undo: "/lists/%s/place"}}
	rec := httptest.NewRecorder()
	Redirect(rec, httptest.NewRequest(http.MethodPost, "/lists/a/place", nil), Next{
		Page: "/lists/a.b_c/arrange?x=1", Did: "moved", To: "a.b_c", Undo: url.Values{"entry": {"5"}, "before": {"a&b"}},
	})
	r := httptest.NewRequest(http.MethodGet, rec.Header().Get("Location"), nil)
	n := all.of(r)
	if n.Text != "Moved." || n.Undo != "/lists/a.b_c/place" || len(n.Fields) != 2 || n.Fields["entry"] != "5" || n.Fields["before"] != "a&b" {
		t.Errorf("%s has the notice %+v", r.URL, n)
	}
	if back := backOf(r); back != "/lists/a.b_c/arrange?x=1" {
		t.Errorf("the page without the notice is %s", back)
	}
	for _, to := range []string{"..", "../x", "a/b", "A"} {
		if n := all.of(httptest.NewRequest(http.MethodGet, "/?did=moved&to="+url.QueryEscape(to), nil)); n.Undo != "" {
			t.Errorf("%q is undone at %s", to, n.Undo)
		}
	}
}

// FuzzLocalPath checks that no sign-in leads to another host, as a browser reads what the redirect says.
func FuzzLocalPath(f *testing.F) {
	for _, next := range []string{"/", "/sources/5?a=b#c", "//evil.example", `/\evil.example`, "/.//evil.example", "https:evil.example", "/%2f/evil.example"} {
		f.Add(next)
	}
	here, err := url.Parse("http://wire.example/login")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		rec := httptest.NewRecorder()
		http.Redirect(rec, httptest.NewRequest(http.MethodPost, "/login", nil), LocalPath(next), http.StatusSeeOther)
		to, err := here.Parse(rec.Header().Get("Location"))
		if err != nil || to.Host != here.Host || to.Scheme != here.Scheme {
			t.Errorf("%q leads to %q, %v", next, rec.Header().Get("Location"), err)
		}
	})
}
