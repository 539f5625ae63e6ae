package single

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const (
	ampRuntime = "https://cdn.ampproject.org/"
	// ampBoilerplate is required to the letter.
	ampBoilerplate = `<style amp-boilerplate>body{-webkit-animation:-amp-start 8s steps(1,end) 0s 1 normal both;` +
		`-moz-animation:-amp-start 8s steps(1,end) 0s 1 normal both;-ms-animation:-amp-start 8s steps(1,end) 0s 1 normal both;` +
		`animation:-amp-start 8s steps(1,end) 0s 1 normal both}@-webkit-keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}` +
		`@-moz-keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}` +
		`@-ms-keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}` +
		`@-o-keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}` +
		`@keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}</style>` +
		`<noscript><style amp-boilerplate>body{-webkit-animation:none;-moz-animation:none;-ms-animation:none;animation:none}</style></noscript>`
	ampStyle = `body{max-width:40em;margin:0 auto;padding:1em;font:1.1em/1.5 Georgia,serif}h1{line-height:1.2}` +
		`.unsized{display:block;position:relative;height:16em}.unsized img{object-fit:contain}pre,table{display:block;overflow:auto}` +
		`figcaption,footer,.byline{font-size:.8em;color:#555}`
)

// AMP returns the AMP HTML page of an article.
func AMP(a *Article) (string, error) {
	page, err := hypertext.Parse(a.Content)
	if err != nil {
		return "", err
	}
	var body ampWriter
	body.children(page.Root)
	if content := body.String(); a.Image != "" && !strings.Contains(content, `"`+html.EscapeString(a.Image)+`"`) {
		body = ampWriter{extensions: body.extensions}
		body.image(a.Image, "", a.ImageWidth, a.ImageHeight)
		body.WriteString(content)
	}
	data, err := json.Marshal(newsArticle(a)) // escapes <
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("<!doctype html>\n<html amp")
	if a.Language != "" {
		fmt.Fprintf(&out, ` lang="%s"`, html.EscapeString(a.Language))
	}
	fmt.Fprintf(&out, `><head><meta charset="utf-8"><script async src="%sv0.js"></script>`, ampRuntime)
	for _, name := range body.extensions {
		fmt.Fprintf(&out, `<script async custom-element="%s" src="%sv0/%[1]s-0.1.js"></script>`, name, ampRuntime)
	}
	fmt.Fprintf(&out, `<title>%s</title><link rel="canonical" href="%s">`, html.EscapeString(a.Title), html.EscapeString(a.Link))
	out.WriteString(`<meta name="viewport" content="width=device-width,minimum-scale=1,initial-scale=1">` +
		`<meta name="robots" content="max-image-preview:large">`)
	fmt.Fprintf(&out, `<script type="application/ld+json">%s</script><style amp-custom>%s</style>%s</head>`, data, ampStyle, ampBoilerplate)
	fmt.Fprintf(&out, "\n<body><article><header><h1>%s</h1>", html.EscapeString(a.Title))
	fmt.Fprintf(&out, `<p class="byline">%s <time datetime="%s">%s</time></p></header>`, html.EscapeString(strings.Join(a.Authors, ", ")),
		a.Published.UTC().Format(time.RFC3339), a.Published.UTC().Format("2 January 2006"))
	fmt.Fprintf(&out, "\n%s\n", body.String())
	if a.Rights != "" {
		fmt.Fprintf(&out, "<footer>%s</footer>", html.EscapeString(a.Rights))
	}
	out.WriteString("</article></body></html>\n")
	return out.String(), nil
}

// newsArticle describes an article in the terms of schema.org.
func newsArticle(a *Article) map[string]any {
	named := func(kind, name string) map[string]string { return map[string]string{"@type": kind, "name": name} }
	about := map[string]any{
		"@context": "https://schema.org", "@type": "NewsArticle", "headline": a.Title, "mainEntityOfPage": a.Link,
		"datePublished": a.Published.UTC().Format(time.RFC3339), "dateModified": a.Modified.UTC().Format(time.RFC3339),
		"publisher": named("Organization", a.Publisher),
	}
	if a.Image != "" {
		about["image"] = []string{a.Image}
	}
	var authors []map[string]string
	for _, name := range a.Authors {
		authors = append(authors, named("Person", name))
	}
	if len(authors) > 0 {
		about["author"] = authors
	}
	return about
}

// ampWriter writes clean HTML as AMP HTML: AMP's own elements replace media and players.
type ampWriter struct {
	strings.Builder
	extensions []string // elements that need a script of their own
}

func (w *ampWriter) children(n *html.Node) {
	for child := range n.ChildNodes() {
		w.node(child)
	}
}

func (w *ampWriter) node(n *html.Node) {
	attr := func(key string) string { return hypertext.Attr(n, key) }
	switch {
	case n.Type == html.TextNode:
		w.WriteString(html.EscapeString(n.Data))
	case n.DataAtom == atom.Img:
		width, _ := strconv.Atoi(attr("width"))
		height, _ := strconv.Atoi(attr("height"))
		w.image(attr("src"), attr("alt"), width, height)
	case n.DataAtom == atom.Video:
		w.media(n, `<amp-video controls width="16" height="9" layout="responsive" src="%s"></amp-video>`, "amp-video")
	case n.DataAtom == atom.Audio:
		w.media(n, `<amp-audio width="auto" height="50" src="%s"></amp-audio>`, "amp-audio")
	case n.DataAtom == atom.Iframe:
		w.player(attr("src"))
	case n.DataAtom == atom.Br, n.DataAtom == atom.Hr, n.DataAtom == atom.Wbr:
		w.WriteString("<" + n.Data + ">")
	default:
		w.WriteString(startTag(n, "href", "colspan", "rowspan", "start", "datetime", "lang", "dir"))
		w.children(n)
		w.WriteString("</" + n.Data + ">")
	}
}

// image writes an image. One of unknown size fills a place of fixed height: AMP requires a size before the image is loaded.
func (w *ampWriter) image(src, alt string, width, height int) {
	open := fmt.Sprintf(`<amp-img src="%s" alt="%s"`, html.EscapeString(src), html.EscapeString(alt))
	if width > 0 && height > 0 {
		fmt.Fprintf(w, `%s width="%d" height="%d" layout="intrinsic"></amp-img>`, open, width, height)
		return
	}
	fmt.Fprintf(w, `<span class="unsized">%s layout="fill"></amp-img></span>`, open)
}

// media writes a video or sound in a format with its address, or a link if AMP does not play it.
func (w *ampWriter) media(n *html.Node, format, extension string) {
	src := address(n)
	switch {
	case strings.HasPrefix(src, "https://"):
		w.extension(extension)
		fmt.Fprintf(w, format, html.EscapeString(src))
	case src != "":
		w.link(src)
	}
}

var (
	youtube = regexp.MustCompile(`^/embed/([A-Za-z0-9_-]{11})/?$`)
	vimeo   = regexp.MustCompile(`^/video/([0-9]+)/?$`)
)

// player writes a player of YouTube or Vimeo, or a link.
func (w *ampWriter) player(src string) {
	u, err := url.Parse(src)
	if err != nil {
		return
	}
	name, ids := "amp-youtube", youtube.FindStringSubmatch(u.Path)
	if u.Hostname() == "player.vimeo.com" {
		name, ids = "amp-vimeo", vimeo.FindStringSubmatch(u.Path)
	}
	if ids == nil || ids[1] == "videoseries" || ids[1] == "live_stream" { // playlists and channels
		w.link(src)
		return
	}
	w.extension(name)
	fmt.Fprintf(w, `<%s data-videoid="%s" width="16" height="9" layout="responsive"></%[1]s>`, name, ids[1])
}

func (w *ampWriter) link(to string) {
	fmt.Fprintf(w, `<a href="%s">%[1]s</a>`, html.EscapeString(to))
}

func (w *ampWriter) extension(name string) {
	if !slices.Contains(w.extensions, name) {
		w.extensions = append(w.extensions, name)
	}
}
