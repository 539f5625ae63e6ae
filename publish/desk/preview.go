package desk

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// Preview is what becomes of an article in an outgoing feed.
type Preview struct {
	Feed     string        `json:"feed"`
	HeldBack string        `json:"held_back,omitempty"` // why the feed leaves the article out; empty: it does not
	Markup   string        `json:"markup,omitempty"`    // HTML; empty: none can be made
	Warnings []PreviewNote `json:"warnings"`            // what was changed or left out to make it
	Findings []Finding     `json:"findings"`            // where it falls short of the format, errors first
}

// PreviewNote is one thing that was changed or left out.
type PreviewNote struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Markup  string `json:"markup"` // that it is about
	Place   string `json:"place"`  // where that is, as a CSS selector
}

// Finding is one place where an article falls short of a format.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // "error" or "warning"
	Message  string `json:"message"`
	Place    string `json:"place"`
	Remedy   string `json:"remedy"`
}

// previewStyle makes an article look about as its consumer shows it on a phone.
const previewStyle = `:root{color-scheme:light}body{margin:0 auto;padding:0 1rem 2rem;max-width:30rem;background:#fff;color:#1c1e21;` +
	`font:17px/1.5 Georgia,"DejaVu Serif",serif;overflow-wrap:anywhere}h1{font-size:1.65rem;line-height:1.2;margin:1.2rem 0 .5rem}` +
	`h2{font-size:1.25rem;line-height:1.3}img,video{max-width:100%;height:auto}figure{margin:1.2rem 0}header figure{margin:0 -1rem}` +
	`figcaption,time,address,h3.op-kicker{font:14px/1.4 system-ui,sans-serif;color:#606770}time,address{display:block;font-style:normal}` +
	`iframe,audio{display:block;width:100%;max-width:100%;border:1px dashed #8d949e;border-radius:6px}` +
	`blockquote{margin:1.2rem 0;padding-inline-start:1rem;border-inline-start:3px solid #ccd0d5}pre,table{display:block;overflow-x:auto}a{color:#17567f}`

// previewPolicy lets a preview show its pictures and this style, and nothing run, load or leave.
func previewPolicy() string {
	sum := sha256.Sum256([]byte(previewStyle))
	return "sandbox; default-src 'none'; img-src https: http:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
}

// showPreview serves "/articles/{uuid}/preview": an article as a feed carries it, for a frame of its page. Its markup comes
// from a source; the policy of the answer keeps it from doing anything, wherever it is opened.
func (d *Desk) showPreview(w http.ResponseWriter, r *http.Request) error {
	preview, err := d.previewOf(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", previewPolicy())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	// The client may be gone. Where the markup is a document, browsers take its article into this one.
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="%s"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Preview</title>`+
		`<style>%s</style><main>%s</main>`,
		html.EscapeString(d.language(preview.Feed)), previewStyle, cmp.Or(preview.Markup, "<p>Nothing can be made of it.</p>"))
	return nil
}

// language is that of an outgoing feed, as it says to its consumer.
func (d *Desk) language(typ string) string {
	for i := range d.opts.Feeds {
		if f := &d.opts.Feeds[i]; f.Type == typ && f.Language != "" {
			return f.Language
		}
	}
	return "en"
}

// previewOf is the article of the path as the feed of the query, or else the first one, would carry it.
func (d *Desk) previewOf(r *http.Request) (Preview, error) {
	typ := r.URL.Query().Get("feed")
	if typ == "" && len(d.types) > 0 {
		typ = d.types[0]
	}
	switch {
	case !slices.Contains(d.types, typ):
		return Preview{}, wrong("feed", d.noFeed(typ))
	case d.opts.Preview == nil:
		return Preview{}, fmt.Errorf("preview %w: this daemon makes no feeds", feed.ErrNotFound)
	}
	uuid, err := articleUUID(r)
	if err != nil {
		return Preview{}, err
	}
	article, err := d.store.Article(r.Context(), uuid, d.types)
	if err != nil {
		return Preview{}, err
	}
	return d.opts.Preview(r.Context(), article, typ)
}
