package websub

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxHead bounds how much of a document is parsed, in bytes. Feeds name their hub before the first entry.
const maxHead = 256 << 10

// maxDepth bounds the nesting of elements before the first entry.
const maxDepth = 32

// documentLinks returns the links of a feed or a page: those before the first entry of Atom (atom:link) and RSS (atom:link
// in the channel), those of JSON Feed (hubs and feed_url), and those in the head of HTML. It ignores the body of a page,
// where others may write (section 8.1).
func documentLinks(body []byte) linkSet {
	body = bytes.TrimLeft(bytes.TrimPrefix(body[:min(len(body), maxHead)], []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(body) == 0:
		return linkSet{}
	case body[0] == '{':
		return jsonLinks(body)
	case isHTML(body):
		return htmlLinks(body)
	}
	return xmlLinks(body)
}

// isHTML reports whether the start of a document has an html element or document type.
func isHTML(body []byte) bool {
	start := bytes.ToLower(body[:min(len(body), 1024)])
	return bytes.Contains(start, []byte("<html")) || bytes.Contains(start, []byte("<!doctype html"))
}

func xmlLinks(body []byte) (found linkSet) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	// Links and markup are ASCII in every encoding that an XML declaration can name.
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var open []string
	for {
		token, err := d.Token()
		if err != nil {
			return found
		}
		switch t := token.(type) {
		case xml.StartElement:
			name := strings.ToLower(t.Name.Local)
			if name == "item" || name == "entry" || len(open) >= maxDepth {
				return found
			}
			inFeed := len(open) == 1 && open[0] == "feed"
			inChannel := len(open) == 2 && open[1] == "channel"
			if name == "link" && (inFeed || inChannel && isAtom(t.Name.Space)) {
				found.add(strings.Fields(strings.ToLower(attribute(t, "rel"))), attribute(t, "href"))
			}
			open = append(open, name)
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
}

// isAtom reports whether a namespace, or an undeclared prefix, is that of Atom.
func isAtom(space string) bool {
	return space == "http://www.w3.org/2005/Atom" || space == "http://purl.org/atom/ns#" || strings.HasPrefix(space, "atom")
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Space == "" && strings.EqualFold(a.Name.Local, name) {
			return a.Value
		}
	}
	return ""
}

// jsonLinks parses the members before "items" (JSON Feed 1.1, "hubs").
func jsonLinks(body []byte) (found linkSet) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return found
	}
	for d.More() {
		key, err := d.Token()
		if err != nil || key == "items" {
			return found
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return found
		}
		switch key {
		case "feed_url":
			var self string
			if json.Unmarshal(value, &self) == nil {
				found.add([]string{"self"}, self)
			}
		case "hubs":
			var hubs []struct{ Type, URL string }
			if json.Unmarshal(value, &hubs) != nil {
				continue
			}
			for _, h := range hubs {
				if strings.EqualFold(h.Type, "WebSub") || strings.EqualFold(h.Type, "PubSubHubbub") {
					found.add([]string{"hub"}, h.URL)
				}
			}
		}
	}
	return found
}

// htmlLinks parses the head of a page.
func htmlLinks(body []byte) (found linkSet) {
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return found
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == atom.Head {
				return found
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Body:
				return found
			case atom.Link:
				var rel, href string
				for _, a := range t.Attr {
					switch a.Key {
					case "rel":
						rel = a.Val
					case "href":
						href = a.Val
					}
				}
				found.add(strings.Fields(strings.ToLower(rel)), href)
			}
		}
	}
}
