package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

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
