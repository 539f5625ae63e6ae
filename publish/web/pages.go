package web

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"sync"
	"time"
)

// Pages is the kit of a room: it renders the templates of the room within the layout.
type Pages struct {
	*Kit
	templates func() *template.Template
	notices   Notices
}

// Pages returns the pages of templates/*.html of a file system. The first request parses the templates, so that a daemon starts
// without them. It panics if they are invalid.
func (k *Kit) Pages(files fs.FS, notices Notices) *Pages {
	return &Pages{k, sync.OnceValue(func() *template.Template {
		return template.Must(template.Must(k.layout().Clone()).ParseFS(files, "templates/*.html"))
	}), notices}
}

// Render answers with a page. The view embeds Frame. It returns nil, so that a handler can end with it.
func (p *Pages) Render(w http.ResponseWriter, r *http.Request, name string, view framed) error {
	buffer, _ := p.buffers.Get().(*bytes.Buffer)
	if buffer == nil {
		buffer = new(bytes.Buffer)
	}
	buffer.Reset()
	page := p.page(buffer, r, name, view)
	p.send(w, r, view.frame().Status, page)
	if buffer.Cap() <= maxBuffer {
		p.buffers.Put(buffer)
	}
	return nil
}

// maxBuffer is the most bytes of a buffer that is used again.
const maxBuffer = 256 << 10

// page returns a page in an empty buffer, so that a template that fails leaves no half of it; nil: its template failed, which it logs.
func (p *Pages) page(page *bytes.Buffer, r *http.Request, name string, view framed) []byte {
	view.frame().complete(p.Kit, r, p.notices)
	if err := p.templates().ExecuteTemplate(page, name, view); err != nil {
		p.logError(r, err)
		return nil
	}
	return page.Bytes()
}

// send answers with a page. nil: its template failed.
func (k *Kit) send(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	if page == nil {
		http.Error(w, "The page could not be rendered. See the log of the daemon.", http.StatusInternalServerError)
		return
	}
	write := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write(page) // the client may be gone
	})
	if _, recorded := w.(*recorder); recorded {
		write(w, r) // a copy is compressed when it is sent
		return
	}
	k.compress(write).ServeHTTP(w, r)
}

// functions returns the functions of all templates.
func (k *Kit) functions() template.FuncMap {
	return template.FuncMap{
		"asset": k.assets.path, "columns": columns, "action": newAction,
		"actionText": k.ActionText, "length": Length, "plural": Plural, "words": Words,
		"now":   k.Now,
		"ago":   func(t time.Time) Moment { return Ago(t, k.Now()) },
		"ahead": func(t time.Time) Moment { return Ahead(t, k.Now()) },
	}
}

// ListPage is the data of a page that lists things.
type ListPage[T any] struct {
	Frame
	Rows  []T
	Pager Pager
}

// Pager leads through the pages of a list. Empty links are left out.
type Pager struct{ First, Previous, Next, Text string }

// PagerOf returns the links of a list that continues at the cursor of the query. next is the cursor of the next page; empty: there
// is none.
func PagerOf(r *http.Request, next string) (p Pager) {
	query := queryOf(r)
	if query.Get("cursor") != "" {
		query.Del("cursor")
		p.First = WithQuery(r.URL.Path, query)
	}
	if next != "" {
		query.Set("cursor", next)
		p.Next = WithQuery(r.URL.Path, query)
	}
	return p
}
