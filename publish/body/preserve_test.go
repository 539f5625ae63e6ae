package body_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/body"
)

// muddle writes words between tags that open and close without any order, and images.
func muddle(random *rand.Rand, tags []string) (markup string, words, images []string) {
	var sb strings.Builder
	for i := range 5 + random.IntN(40) {
		tag := tags[random.IntN(len(tags))]
		switch random.IntN(6) {
		case 0, 1:
			sb.WriteString("<" + tag + ">")
		case 2:
			sb.WriteString("</" + tag + ">")
		case 3:
			src := fmt.Sprintf("https://a.example/i%d.png", i)
			images = append(images, `"`+src+`"`)
			sb.WriteString(`<img src="` + src + `">`)
		default:
			word := fmt.Sprintf("w%dw", i)
			words = append(words, word)
			sb.WriteString(word)
		}
	}
	return sb.String(), words, images
}

// Images would not outlive markup that no round of parsing settles, either: of that the text alone remains.
func TestTextAndImagesSurviveAnyNesting(t *testing.T) {
	tags := append(body.Tags(), "mi", "mrow", "mtext", "form", "center", "font", "noscript", "custom-tag", "a href=/x", "button", "td", "tr", "table")
	tags = slices.DeleteFunc(tags, func(tag string) bool {
		return slices.Contains([]string{"source", "track", "img", "iframe", "br", "wbr", "hr"}, tag) // without content
	})
	cleaner := body.New(body.Policy{})
	for seed := range uint64(3000) {
		in, words, images := muddle(rand.New(rand.NewPCG(seed, 1)), tags)
		got, _ := cleaner.Clean(in, base)
		at := 0
		for _, word := range words {
			found := strings.Index(got[at:], word)
			if found < 0 {
				t.Fatalf("seed %d: %s is lost, or not in its place:\n%s\n%s", seed, word, in, got)
			}
			at += found
		}
		for _, src := range images {
			if !strings.Contains(got, src) {
				t.Fatalf("seed %d: %s is lost:\n%s\n%s", seed, src, in, got)
			}
		}
	}
}
