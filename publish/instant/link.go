package instant

import (
	"net/url"
	"strings"
)

// link is the address for the text in an anchor. An anchor that leads nowhere is unwrapped: its text stays plain.
func (b *builder) link(n *node, outer string) string {
	ref := n.attr("href")
	if ref == "" {
		return outer // a named place, not a link
	}
	if strings.HasPrefix(ref, "#") {
		b.warn("unwrapped: a link within the page", n)
		return outer
	}
	href := b.resolve(ref, "http", "https", "mailto")
	if href == "" {
		b.warn("unwrapped: a link that is not http, https or mailto", n)
		return outer
	}
	b.size += len(href)
	return href
}

// source is the absolute http or https address of a medium, from the first attribute that holds one; empty: none.
// Pages that load images late keep the address in a data attribute and a placeholder in src.
func (b *builder) source(n *node) string {
	for _, key := range []string{"data-src", "data-original", "data-lazy-src", "src"} {
		if src := b.resolve(n.attr(key), "http", "https"); src != "" {
			return src
		}
	}
	return ""
}

// resolve makes ref absolute; it is empty where ref cannot be read, is too long or has none of the schemes.
func (b *builder) resolve(ref string, schemes ...string) string {
	if strings.ContainsAny(ref, "\t\n") {
		ref = strings.NewReplacer("\t", "", "\n", "").Replace(ref) // as browsers do
	}
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > maxURL {
		return ""
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ""
	}
	u = b.base.ResolveReference(u)
	for _, scheme := range schemes {
		if u.Scheme != scheme || (scheme != "mailto" && u.Host == "") || (scheme == "mailto" && u.Opaque == "") {
			continue
		}
		if s := u.String(); len(s) <= maxURL {
			return s
		}
	}
	return ""
}
