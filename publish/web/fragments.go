package web

import (
	"html/template"
	"strings"

	"github.com/feedwire/feedwire/publish/copies"
)

// Fragments renders a template that many pages contain, such as a row of a list, and holds what was used last. A fragment depends on its view
// only, so pages with equal views share it, whoever reads them. The template must not call now, ago and ahead.
type Fragments[V comparable] struct {
	pages    *Pages
	name     string // of the template
	rendered *copies.Cache[V, template.HTML]
}

// NewFragments returns the fragments of a template. Those that it holds have about size bytes with their views.
func NewFragments[V comparable](pages *Pages, name string, size int) *Fragments[V] {
	return &Fragments[V]{pages, name, copies.New[V](copies.Options{Bytes: size}, func(html template.HTML) int { return 2*len(html) + 512 })}
}

// Of returns the fragment of a view.
func (f *Fragments[V]) Of(view V) (template.HTML, error) {
	if html, ok := f.rendered.Get(view); ok {
		return html, nil
	}
	html, err := f.render(view)
	if err == nil {
		f.rendered.Put(view, html)
	}
	return html, err
}

func (f *Fragments[V]) render(view V) (template.HTML, error) {
	var b strings.Builder
	b.Grow(1 << 10)
	err := f.pages.templates().ExecuteTemplate(&b, f.name, &view)
	return template.HTML(b.String()), err //nolint:gosec // the template has escaped it
}
