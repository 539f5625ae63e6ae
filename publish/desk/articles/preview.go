package articles

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"

	"github.com/feedwire/feedwire/publish/placement"
)

// previewStyle approximates how a consumer shows the article on a phone.
const previewStyle = `:root{color-scheme:light}body{margin:0 auto;padding:0 1rem 2rem;max-width:30rem;background:#fff;color:#1c1e21;` +
	`font:17px/1.5 Georgia,"DejaVu Serif",serif;overflow-wrap:anywhere}h1{font-size:1.65rem;line-height:1.2;margin:1.2rem 0 .5rem}` +
	`h2{font-size:1.25rem;line-height:1.3}img,video{max-width:100%;height:auto}figure{margin:1.2rem 0}header figure{margin:0 -1rem}` +
	`figcaption,time,address,h3.op-kicker{font:14px/1.4 system-ui,sans-serif;color:#606770}time,address{display:block;font-style:normal}` +
	`iframe,audio{display:block;width:100%;max-width:100%;border:1px dashed #8d949e;border-radius:6px}` +
	`blockquote{margin:1.2rem 0;padding-inline-start:1rem;border-inline-start:3px solid #ccd0d5}pre,table{display:block;overflow-x:auto}a{color:#17567f}`

// previewPolicy allows pictures and previewStyle. Nothing can run, load or navigate.
func previewPolicy() string {
	sum := sha256.Sum256([]byte(previewStyle))
	return "sandbox; default-src 'none'; img-src https: http:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
}

// showPreview serves "/articles/{uuid}/preview": an article as a feed carries it, for a frame of its page. The markup comes from a
// source. The policy of the response keeps it from doing anything, wherever it is opened.
func (as *Articles) showPreview(w http.ResponseWriter, r *http.Request) error {
	preview, err := as.previewOf(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", previewPolicy())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	language := "en"
	if f := as.opts.Feeds.Find(preview.Feed); f != nil && f.Language != "" {
		language = f.Language
	}
	// If the markup is a document, browsers merge it into this one. The client may be gone.
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="%s"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Preview</title>`+
		`<style>%s</style><main>%s</main>`,
		html.EscapeString(language), previewStyle, cmp.Or(preview.Markup, "<p>This article cannot be shown.</p>"))
	return nil
}

// previewOf returns the article of the path as the feed of the query, or else the first feed, carries it.
func (as *Articles) previewOf(r *http.Request) (placement.Preview, error) {
	typ := r.URL.Query().Get("feed")
	if typ == "" && len(as.opts.Feeds) > 0 {
		typ = as.opts.Feeds[0].Type
	}
	if err := as.checkFeed(typ); err != nil {
		return placement.Preview{}, err
	}
	article, err := as.article(r)
	if err != nil {
		return placement.Preview{}, err
	}
	return as.opts.Preview(r.Context(), article, typ)
}
