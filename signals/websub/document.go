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

// maxHead bounds how much of a document before its first entry is parsed, in bytes.
const maxHead = 256 << 10

// maxDepth bounds the nesting of elements before the first entry.
const maxDepth = 32

// addDocument adds the links of a feed or a page: those of the feed in Atom (atom:link) and RSS (atom:link in the channel), those of
// JSON Feed (hubs and feed_url), and those in the head of HTML. It ignores entries and the body of a page, where others may write
// (section 8.1).
func (l *links) addDocument(body []byte) {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(body, []byte("{")):
		l.addJSON(body)
	case isHTML(body):
		l.addHTML(body[:min(len(body), maxHead)])
	default:
		l.addXML(body)
	}
}

// isHTML reports whether the start of a document has an html element or document type.
func isHTML(body []byte) bool {
	start := bytes.ToLower(body[:min(len(body), 1024)])
	return bytes.Contains(start, []byte("<html")) || bytes.Contains(start, []byte("<!doctype html"))
}

func (l *links) addXML(body []byte) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	// Links and markup are ASCII in every encoding that an XML declaration can name.
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var open []string
	var last int64 // where the last link to a hub may be; 0: not searched yet
	for last > 0 || d.InputOffset() < maxHead {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			name := strings.ToLower(t.Name.Local)
			if name == "item" || name == "entry" {
				if at := d.InputOffset(); last == 0 {
					last = at + int64(lastHub(body[at:]))
				}
				if d.InputOffset() > last || d.Skip() != nil {
					return
				}
				continue
			}
			if len(open) >= maxDepth {
				return
			}
			inFeed := len(open) == 1 && open[0] == "feed"
			inChannel := len(open) == 2 && open[1] == "channel"
			if name == "link" && (inFeed || inChannel && isAtom(t.Name.Space)) {
				l.add(strings.Fields(strings.ToLower(attribute(t, "rel"))), attribute(t, "href"))
			}
			open = append(open, name)
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
}

// lastHub returns the index of the last word hub in quotes, or -1.
func lastHub(text []byte) int {
	last := -1
	for _, word := range []string{`"hub"`, `'hub'`} {
		if bytes.Contains(text, []byte(word)) { // many times faster than LastIndex, and most entries contain neither
			last = max(last, bytes.LastIndex(text, []byte(word)))
		}
	}
	return last
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

// addJSON parses the members of a JSON Feed (JSON Feed 1.1, "hubs").
func (l *links) addJSON(body []byte) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return
	}
	for d.More() {
		key, err := d.Token()
		if err != nil || key == "items" && !bytes.Contains(body[d.InputOffset():], []byte(`"hubs"`)) {
			return
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return
		}
		switch key {
		case "feed_url":
			var self string
			_ = json.Unmarshal(value, &self) // an empty link is ignored
			l.add([]string{"self"}, self)
		case "hubs":
			var hubs []struct{ Type, URL string }
			if json.Unmarshal(value, &hubs) != nil {
				continue
			}
			for _, h := range hubs {
				if strings.EqualFold(h.Type, "WebSub") || strings.EqualFold(h.Type, "PubSubHubbub") {
					l.add([]string{"hub"}, h.URL)
				}
			}
		}
	}
}

// addHTML parses the head of a page.
func (l *links) addHTML(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == atom.Head {
				return
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Body:
				return
			case atom.Link:
				attributes := make(map[string]string)
				for _, a := range t.Attr {
					attributes[a.Key] = a.Val
				}
				l.add(strings.Fields(strings.ToLower(attributes["rel"])), attributes["href"])
			}
		}
	}
}
