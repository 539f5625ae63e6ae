package feed_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// BenchmarkDigest compares the versions on an entry of usual size with an enclosure.
func BenchmarkDigest(b *testing.B) {
	e := feed.Entry{
		Title: "A title of some words", Link: "https://x.example/2026/11/a-title-of-some-words", Content: strings.Repeat("<p>Some words of an article.</p>", 80),
		Authors: []string{"Ann"}, Extra: map[string]string{
			"categories": `[{"term":"Sea"},{"term":"Ships"}]`, "enclosures": `[{"url":"https://x.example/a.jpg","type":"image/jpeg","length":"1234"}]`,
		},
	}
	b.Run("current", func(b *testing.B) {
		for b.Loop() {
			e.Digest()
		}
	})
	b.Run("version 1", func(b *testing.B) {
		for b.Loop() {
			e.DigestV1()
		}
	})
}
