package desk

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// kept is a form that came when its sender was not signed in any more. It goes along while they sign in again, and can be
// sent then. It is nowhere but in their own page.
type kept struct {
	Path   string // of the form; empty: there is none
	Fields []keptField
}

// keptField is one field of it.
type keptField struct{ Name, Value string }

// The fields by which a page hands a form on to the sign-in.
const (
	keptPath   = "kept"
	keptPrefix = "kept:"
)

// keptOf keeps the form of a request that was refused. Files are not kept, nor any form in which a password was written: the
// page stays open on the desk of whoever went away.
func keptOf(w http.ResponseWriter, r *http.Request) kept {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if kind != "application/x-www-form-urlencoded" || r.ParseForm() != nil {
		return kept{}
	}
	for _, secret := range []string{"password", "current", "again"} {
		if r.PostForm.Get(secret) != "" {
			return kept{}
		}
	}
	form := kept{Path: localPath(r.URL.Path)}
	for name, values := range r.PostForm {
		for _, value := range values {
			form.Fields = append(form.Fields, keptField{name, value})
		}
	}
	return form.inOrder()
}

// keptIn is the form that a sign-in carries along.
func keptIn(r *http.Request) kept {
	form := kept{Path: localPath(r.PostFormValue(keptPath))}
	if form.Path == "/" {
		return kept{}
	}
	for name, values := range r.PostForm {
		if name, ok := strings.CutPrefix(name, keptPrefix); ok {
			for _, value := range values {
				form.Fields = append(form.Fields, keptField{name, value})
			}
		}
	}
	return form.inOrder()
}

// inOrder is the form with its fields by name; those of one name stay as they came.
func (k kept) inOrder() kept {
	slices.SortStableFunc(k.Fields, func(a, b keptField) int { return strings.Compare(a.Name, b.Name) })
	return k
}

// againPage is what the template shows.
type againPage struct {
	frame
	Name string
	Next string // page to go to without sending it
	Form kept
}

// offerAgain shows whoever has just signed in the form that was refused before.
func (d *Desk) offerAgain(w http.ResponseWriter, r *http.Request, name, next string, form kept) {
	d.render(w, r, http.StatusOK, "again.html", againPage{d.frame(r, "Signed in – feedwire", 0), name, next, form})
}
