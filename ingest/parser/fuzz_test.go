package parser_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/feedwire/feedwire/ingest/parser"
)

// FuzzText reads titles and names.
func FuzzText(f *testing.F) {
	f.Add("A &amp; B <b>c</b> <script>x</script> List<T> &#0;&#x80; <![CDATA[d]]>")
	f.Add("Ann (ann@x.example)")
	f.Add("ann@x.example <mailto:ann@x.example>, \"")
	f.Add("<name>\u200bAnn</name>\xff<?php ?><!-- ")
	f.Fuzz(func(t *testing.T, s string) {
		text := parser.PlainText(s)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || text != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%q became %q", s, text)
		}
		if name := parser.PersonName(s); len(name) > len(s) {
			t.Errorf("%q is called %q", s, name)
		}
	})
}

// FuzzResolve makes the links of content absolute.
func FuzzResolve(f *testing.F) {
	f.Add(`<p>a<a href="../x?a=1&amp;b">b</a><img srcset="a 1x, /b,c 2x" src=d></p>`)
	f.Add(`<div xml:base="/y/"><a href=z></div><a href='#f'><a href="//h/"><a href="mailto:x">`)
	f.Add(`<a href="%zz"><a href=":"><a href=" x "><a HREF = y/><!--<a href=z>--><textarea><a href=q>`)
	f.Fuzz(func(t *testing.T, content string) {
		once := parser.Resolve("https://x.example/dir/", content)
		if len(once) > 2*len(content)+65<<10 {
			t.Errorf("%d bytes became %d", len(content), len(once))
		}
		if twice := parser.Resolve("https://other.example/", once); twice != once && strings.Count(content, "xml:base") == 0 {
			t.Errorf("%q\nbecame %q\nand then %q", content, once, twice)
		}
	})
}
