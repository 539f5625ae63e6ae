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
		{Extra: map[string]string{"enclosures": `[{"url":"ab"}]`}}, {Extra: map[string]string{"enclosures": `[{"url":"a"},{"url":"b"}]`}},
		{Title: "a:1:", Link: ""}, {Title: "a", Link: ":1:"},
	}
	seen := map[string]int{}
	for i := range all {
		if j, again := seen[all[i].Digest()]; again {
			t.Errorf("%+v and %+v have one digest", all[j], all[i])
		}
		seen[all[i].Digest()] = i
	}
}

func TestDigestCoversWhatAPersonReads(t *testing.T) {
	base := func() feed.Entry {
		return feed.Entry{Title: "T", Authors: []string{"Ann"}, Extra: map[string]string{
			"enclosures": `[{"url":"https://x.example/a.mp3","type":"audio/mpeg","length":"12"}]`,
		}}
	}
	entry := base()
	want := entry.Digest()
	for name, tt := range map[string]struct {
		change func(*feed.Entry)
		same   bool
	}{
		"title":          {func(e *feed.Entry) { e.Title = "U" }, false},
		"link":           {func(e *feed.Entry) { e.Link = "https://x.example/" }, false},
		"content":        {func(e *feed.Entry) { e.Content = "c" }, false},
		"summary":        {func(e *feed.Entry) { e.Summary = "s" }, false},
		"authors":        {func(e *feed.Entry) { e.Authors = append(e.Authors, "Bo") }, false},
		"enclosure URL":  {func(e *feed.Entry) { e.Extra["enclosures"] = `[{"url":"https://x.example/b.mp3"}]` }, false},
		"enclosure type": {func(e *feed.Entry) { e.Extra["enclosures"] = `[{"url":"https://x.example/a.mp3"}]` }, true},
		"categories":     {func(e *feed.Entry) { e.Extra["categories"] = `[{"term":"a"}]` }, true},
		"language":       {func(e *feed.Entry) { e.Extra["language"] = "de" }, true},
		"file details": {func(e *feed.Entry) {
			e.Extra["enclosures"] = `[{"url":"https://x.example/a.mp3","title":"A","credits":[{"name":"Ann","url":"https://x.example/ann"}]}]`
		}, true},
		"media":           {func(e *feed.Entry) { e.Extra["media"] = `[{"url":"https://x.example/t.jpg","rel":"thumbnail"}]` }, true},
		"a field to come": {func(e *feed.Entry) { e.Extra["rights"] = "CC" }, true},
		"dates":           {func(e *feed.Entry) { e.Published, e.Updated, e.Timestamp = noon, noon, noon }, true},
		"guid":            {func(e *feed.Entry) { e.GUID, e.Aliases = "g", []string{"a"} }, true},
	} {
		e := base()
		tt.change(&e)
		if (e.Digest() == want) != tt.same {
			t.Errorf("%s: digest stays the same: %v, want %v", name, !tt.same, tt.same)
		}
	}
}

func TestDigestDoesNotDependOnTheSpellingOfEnclosures(t *testing.T) {
	digest := func(list string) string {
		return (&feed.Entry{Extra: map[string]string{"enclosures": list}}).Digest()
	}
	want := digest(`[{"url":"https://x.example/a"},{"url":"https://x.example/b","type":"image/png","length":"7"}]`)
	for _, same := range []string{
		`[ {"url": "https://x.example/a"}, {"type": "image/png", "url": "https://x.example/b"} ]`,
		`[{"type":"audio/mpeg","url":"https://x.example/a"},{"url":"https:\/\/x.example/b","length":7}]`,
		`[{"url":"https:\u002f/x.example/a"},{"url":"https://x.example/b","type":"\"url\":\"c\""}]`,
	} {
		if digest(same) != want {
			t.Errorf("%s has another digest", same)
		}
	}
}

// The digests here were written by a store of version 1.
func TestDigestsOfVersion1AreKnown(t *testing.T) {
	plain := feed.Entry{Title: "Tides of the week", Link: "http://origin.test/p2", Content: "<p>High water on Monday at six.</p>"}
	full := feed.Entry{
		Title: "The ferry is late", Link: "http://origin.test/p0", Content: "<p>Fog kept the ferry at the pier until two.</p>",
		Summary: "Fog over the bay.", Authors: []string{"Ann Lee"}, Extra: map[string]string{
			"categories": `[{"term":"Transport"},{"term":"Harbour"}]`,
			"enclosures": `[{"url":"http://origin.test/p0.mp3","type":"audio/mpeg","length":"1234"}]`,
		},
	}
	for digest, e := range map[string]feed.Entry{"IMqlNYtLOwdFaLPIlDiKCw": plain, "D3Q5Sl5Q3EU9C7MXimT0Ew": full} {
		if !feed.IsDigestV1(digest) || e.DigestV1() != digest {
			t.Errorf("%s: got %s", digest, e.DigestV1())
		}
		if current := e.Digest(); feed.IsDigestV1(current) || current == digest {
			t.Errorf("%s: the current digest is %s", digest, current)
		}
		e.Title += "!"
		if e.DigestV1() == digest {
			t.Errorf("%s: an edit does not change it", digest)
		}
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

// A store that version 1 wrote has entries and guids whose digests are of the first form of enclosures.
func TestDetailsOfFilesDoNotChangeDigestsOfVersion1(t *testing.T) {
	entry := func(enclosures string) *feed.Entry {
		return &feed.Entry{Extra: map[string]string{"enclosures": enclosures, "categories": `[{"term":"a"}]`}}
	}
	was := entry(`[{"url":"https://x.example/a?b&c","type":"image","length":"12"},{"url":"https://x.example/b"}]`)
	is := entry(`[{"url":"https://x.example/a?b&c","type":"image","length":"12","width":3},{"url":"https://x.example/b","credits":[{"name":"A"}]}]`)
	is.Extra["duration"], is.Extra["media"] = "12", `[{"url":"https://x.example/c"}]`
	if was.DigestV1() != is.DigestV1() {
		t.Error("the digest differs")
	}
	if other := entry(`[{"url":"https://x.example/a?b&c","type":"image","length":"13"},{"url":"https://x.example/b"}]`); other.DigestV1() == is.DigestV1() {
		t.Error("another length has the same digest")
	}
	if a, b := entry(`broken`), entry(`damaged`); a.DigestV1() == b.DigestV1() {
		t.Error("malformed lists have the same digest")
	}
}
