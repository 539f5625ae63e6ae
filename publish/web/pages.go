package web

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
)

// Pages renders the templates of a room within the layout.
type Pages struct {
	kit       *Kit
	templates *template.Template
}

// Pages parses templates/*.html of a file system. It panics if they are invalid.
func (k *Kit) Pages(files fs.FS) *Pages {
	return &Pages{k, template.Must(template.Must(k.layout.Clone()).ParseFS(files, "templates/*.html"))}
}

// Render answers with a page.
func (p *Pages) Render(w http.ResponseWriter, r *http.Request, status int, name string, view any) {
	var page bytes.Buffer // a template that fails must not leave half a page
	if err := p.templates.ExecuteTemplate(&page, name, view); err != nil {
		p.kit.logError(r, err)
		http.Error(w, "The page could not be rendered. See the log of the daemon.", http.StatusInternalServerError)
		return
	}
	p.kit.compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = page.WriteTo(w) // the client may be gone
	})).ServeHTTP(w, r)
}
