package users

import (
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
)

// form is a form that was refused because its sender was signed out. The sign-in page carries it in hidden fields, and
// the sender can send it after signing in. It is stored nowhere else.
type form struct {
	Path   string // empty: there is no form
	Fields url.Values
}

// Names of the hidden fields of the sign-in page.
const (
	keptPath   = "kept"
	keptPrefix = "kept:"
)

// Bounds of a carried form, in bytes.
const (
	maxRefused = 4 << 10  // as it was sent
	maxCarried = 12 << 10 // as a sign-in carries it; the rest of maxLogin is for the sign-in
)

// refusedForm returns the form of a refused request. It is empty if the form is large, or holds a file or a password, because the
// sign-in page may stay open on an unattended screen.
func refusedForm(w http.ResponseWriter, r *http.Request) form {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	r.Body = http.MaxBytesReader(w, r.Body, maxRefused)
	if kind != "application/x-www-form-urlencoded" || r.ParseForm() != nil {
		return form{}
	}
	for _, secret := range []string{"password", "current", "again"} {
		if r.PostForm.Get(secret) != "" {
			return form{}
		}
	}
	carried := make(url.Values, len(r.PostForm))
	for name, values := range r.PostForm {
		carried[keptPrefix+name] = values
	}
	if len(carried.Encode()) > maxCarried {
		return form{}
	}
	return form{web.LocalPath(r.URL.Path), r.PostForm}
}

// carriedForm returns the form in the hidden fields of a sign-in.
func carriedForm(r *http.Request) form {
	f := form{web.LocalPath(r.PostFormValue(keptPath)), make(url.Values)}
	if f.Path == "/" {
		return form{}
	}
	for name, values := range r.PostForm {
		if name, ok := strings.CutPrefix(name, keptPrefix); ok {
			f.Fields[name] = values
		}
	}
	return f
}

// resubmitPage is the data of resubmit.html.
type resubmitPage struct {
	web.Frame
	Name string
	Next string // page to go to without sending the form
	Form form
}

// pageOf returns the page of the form at this path.
func pageOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return web.LocalPath("/" + first)
}
