package feed_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func digest(content string) string { return (&feed.Entry{Title: "T", Content: content}).Digest() }

func TestDigestLeavesOutWhatDoesNotMatter(t *testing.T) {
	want := digest(`<p>One <a href="http://x.example/a?b=1">two</a></p>`)
	for _, same := range []string{
		"<p>One \n\t<a\thref=\"http://x.example/a?b=1\">two</a></p>",
		`<p>One <a href="https://x.example/a?b=1">two</a></p>`,
		`<p>One <a href="http://x.example/a?b=1&utm_source=feed&utm_medium=rss">two</a></p>`,
		`<p>One <a href="http://x.example/a?b=1&amp;fbclid=7">two</a></p>`,
		`<p>One <a href="http://x.example/a?utm_source=feed&amp;b=1">two</a></p>`,
		`<p>One <a href="http://x.example/a?utm_source=feed&b=1&gclid=9">two</a></p>`,
		`<p>One <a href="http://x.example/a?dclid=1&yclid=2&b=1&msclkid=3">two</a></p>`,
	} {
		if digest(same) != want {
			t.Errorf("%s has another digest", same)
		}
	}
	for _, other := range []string{
		`<p>One<a href="http://x.example/a?b=1">two</a></p>`,
		`<p>One <a href="http://x.example/a?b=2">two</a></p>`,
		`<p>One <a href="http://x.example/a">two</a></p>`,
		`<p>One <a href="ftp://x.example/a?b=1">two</a></p>`,
		`<p>One <a href="http://x.example/a?b=1&source=feed">two</a></p>`,
	} {
		if digest(other) == want {
			t.Errorf("%s has the same digest", other)
		}
	}
	if digest("Is it? utm_source is a word") == digest("Is it? is a word") {
		t.Error("words were taken for parameters")
	}
}

func TestDigestKeepsFieldsApart(t *testing.T) {
	all := []feed.Entry{
		{Title: "ab"}, {Title: "a", Link: "b"}, {Link: "ab"}, {Summary: "ab"}, {Authors: []string{"ab"}}, {Authors: []string{"a", "b"}},
		{Extra: map[string]string{"a": "b"}}, {Extra: map[string]string{"ab": ""}}, {Title: "a:1:", Link: ""}, {Title: "a", Link: ":1:"},
	}
	seen := map[string]int{}
	for i := range all {
		if j, again := seen[all[i].Digest()]; again {
			t.Errorf("%+v and %+v have one digest", all[j], all[i])
		}
		seen[all[i].Digest()] = i
	}
}

// FuzzDigest looks for texts that break it, and for text that changes it by white space alone.
func FuzzDigest(f *testing.F) {
	for _, seed := range []string{"", "a  b", "https://x?utm_a=1&amp;b", "?&&amp;utm_", "s://", "&amp;amp;utm_x=1#y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spaced := strings.ReplaceAll(text, " ", " \t\n ")
		if digest(text) != digest(spaced) {
			t.Errorf("white space changes the digest of %q", text)
		}
		if again := feed.GUIDAlias(text, false); again != feed.GUIDAlias(text, false) || len(again) != 13 {
			t.Errorf("alias %q of %q", again, text)
		}
		if again := feed.LinkAlias(text); again != "" && len(again) != 13 {
			t.Errorf("alias %q of %q", again, text)
		}
	})
}
