package mend

import (
	"bytes"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// cutProlog splits text before the root element of a feed. The prolog may hold a declaration, comments, a DOCTYPE, and
// messages that a program printed.
func cutProlog(text []byte) (prolog, rest []byte, err error) {
	other := ""
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		rest := text[at:]
		name := rootName(rest)
		switch {
		case name == "rss" || name == "feed" || name == "rdf" || name == "channel" && other == "" && !isCDF(rest):
			return text[:at], rest, nil
		case name == "html" || len(rest) > 14 && bytes.EqualFold(rest[:14], []byte("<!doctype html")):
			return nil, nil, feed.Failf(feed.FailureNotAFeed, "the document is a web page, not a feed")
		case declarationSize(rest) > 0:
			at += declarationSize(rest)
		case other == "" && name != "":
			other = name
			at++
		default:
			at++
		}
	}
	if what := otherRoots[other]; what != "" {
		return nil, nil, feed.Failf(feed.FailureNotAFeed, "the document is %s", what)
	}
	if other != "" {
		return nil, nil, feed.Failf(feed.FailureNotAFeed, "the document is not a feed: it begins with the element %q", other)
	}
	return nil, nil, feed.Failf(feed.FailureNotAFeed, "the document is neither XML nor a JSON object")
}

// otherRoots describes documents by their root element, and says where the feed may be.
var otherRoots = map[string]string{
	"opml":         "a list of feeds in OPML, not a feed; import it with feedwire opml import",
	"urlset":       "a sitemap, not a feed; feedwire source add with the address of the site finds its feed",
	"sitemapindex": "an index of sitemaps, not a feed; feedwire source add with the address of the site finds its feed",
}

// foaf describes a document with the vocabulary of FOAF.
const foaf = "a description of people in FOAF, not a feed; feedwire source add with the address of a weblog finds its feed"

// rootName returns the lower-case name, without prefix, of the start tag at the beginning of text, or "" if there is
// none. A malformed name keeps its prefix and therefore matches no feed.
func rootName(text []byte) string {
	const longest = 40
	end := 1
	for end < min(len(text), longest) && nameByte[text[end]] {
		end++
	}
	name := text[1:end]
	if isName(name) && nameStart[name[0]] {
		_, name = splitName(name)
	}
	return strings.ToLower(string(name))
}

// isCDF tells the channel of the Channel Definition Format, which is not a feed format, from an RSS channel without its
// root. Elements of CDF hold their values in attributes.
func isCDF(text []byte) bool {
	tag := text[:min(len(text), 1024)]
	if end := bytes.IndexByte(tag, '>'); end >= 0 {
		tag = tag[:end]
	}
	return bytes.HasPrefix(tag, []byte("<CHANNEL")) || bytes.Contains(bytes.ToLower(tag), []byte("href"))
}

// directive returns the <!…> at the beginning of text, including the definitions in a DOCTYPE's brackets, or all of text
// if it is not terminated.
func directive(text []byte) []byte {
	end := bytes.IndexByte(text, '>')
	if open := bytes.IndexByte(text[:max(end, 0)], '['); open >= 0 {
		if end = bytes.Index(text[open:], []byte("]>")); end >= 0 {
			return text[:open+end+2]
		}
		if end = bytes.IndexByte(text[open:], ']'); end < 0 {
			return text
		}
		end += open
		return text[:end+skipPast(text[end:], ">")]
	}
	if end < 0 {
		return text
	}
	return text[:end+1]
}

// isProlog reports whether XML allows text before the root element, apart from details that cause no harm.
func isProlog(text []byte) bool {
	if bytes.Contains(text, []byte("<?xml")) && !bytes.HasPrefix(text, []byte("<?xml")) && len(bytes.TrimSpace(text)) > 0 &&
		!bytes.HasPrefix(text, []byte("<!--")) {
		return false
	}
	for len(text) > 0 {
		text = bytes.TrimLeft(text, " \t\r\n")
		size := declarationSize(text)
		if size == 0 {
			return len(text) == 0
		}
		text = text[size:]
	}
	return true
}

// declarationSize returns the length of the comment, instruction or declaration at the beginning of text, or 0.
func declarationSize(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("<!--")):
		return skipPast(text, "-->")
	case bytes.HasPrefix(text, []byte("<?")):
		return skipPast(text, "?>")
	case bytes.HasPrefix(text, []byte("<!")):
		return len(directive(text))
	}
	return 0
}

// skipPast returns the index after the first occurrence of mark, or len(text).
func skipPast(text []byte, mark string) int {
	if i := bytes.Index(text, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}
