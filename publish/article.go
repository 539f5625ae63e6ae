package publish

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/feedwire/feedwire/publish/document"
	"github.com/feedwire/feedwire/store/feed"
)

// articles are documents of single articles, by their file names.
type articles map[string]*document.Document

// articlesIn returns a function that takes the articles out of the document of a feed, once.
func (o *outlet) articlesIn(feed *document.Document) func() articles {
	return sync.OnceValue(func() articles {
		if o.writer.Singles == nil {
			return nil
		}
		documents, err := o.writer.Singles(feed.Body())
		if err != nil {
			o.opts.Logger.Error("the documents of single articles cannot be read", "feed", o.Type, "err", err)
		}
		all := make(articles, len(documents))
		for _, d := range documents {
			all[d.Name] = document.Restore(d.Body, document.Meta{MediaType: d.MediaType, Private: o.private()}, feed.Modified, false)
		}
		return all
	})
}

// ServeArticle answers GET and HEAD for one article, the path value "article", of the feed in the path value "type". It counts
// nothing.
func (p *Publisher) ServeArticle(w http.ResponseWriter, r *http.Request) {
	typ := r.PathValue("type")
	o := p.outlet(typ)
	if o == nil {
		p.refuse(w, typ)
		return
	}
	if !document.Readable(w, r) || !o.authorized(w, r) {
		return
	}
	now := o.current(r.Context(), false)
	if now.doc == nil {
		o.unavailable(w, "The feed is not available now.")
		return
	}
	name := r.PathValue("article")
	d := now.doc.articles()[name]
	if d == nil {
		document.Refuse(w, http.StatusNotFound, fmt.Sprintf("The feed %s has no document %.64q.", o.Type, name))
		return
	}
	w.Header().Set(impressions, ignoredArticle)
	// The scripts of a page must not act as the person who is signed in to the desk.
	w.Header().Set("Content-Security-Policy", "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox")
	if now.err != nil {
		feed.MarkStale(w.Header())
	}
	_ = d.Response(r.Header).Write(w, r) // the client may leave
}
