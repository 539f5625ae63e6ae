package single_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/single"
)

func TestMediaBecomeElementsOfAMP(t *testing.T) {
	for content, want := range map[string]string{
		"<img src='https://x.example/i' alt='a' width='4' height='3'>":             `<amp-img src="https://x.example/i" alt="a" width="4" height="3" layout="intrinsic">`,
		"<img src='https://x.example/i'>":                                          `<span class="unsized"><amp-img src="https://x.example/i" alt="" layout="fill">`,
		"<video src='https://x.example/v'></video>":                                `layout="responsive" src="https://x.example/v"></amp-video>`,
		"<audio><source src='https://x.example/a'></audio>":                        `src="https://x.example/a"></amp-audio>`,
		"<video src='http://x.example/v'></video>":                                 `<a href="http://x.example/v">http://x.example/v</a>`,
		"<iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ?t=1'></iframe>":    `<amp-youtube data-videoid="dQw4w9WgXcQ"`,
		"<iframe src='https://player.vimeo.com/video/123'></iframe>":               `<amp-vimeo data-videoid="123"`,
		"<iframe src='https://www.youtube.com/embed/videoseries?list=x'></iframe>": `<a href="https://www.youtube.com/embed/videoseries?list=x">`,
		"<p>a &lt; b<br><time datetime='2026'>now</time></p>":                      `<p>a &lt; b<br><time datetime="2026">now</time></p>`,
	} {
		page, err := single.AMP(&single.Article{Content: content})
		if err != nil || !strings.Contains(page, want) {
			t.Errorf("%s: no %s in %v\n%s", content, want, err, page)
		}
		for _, extension := range []string{"amp-video", "amp-audio", "amp-youtube", "amp-vimeo"} {
			if used := strings.Contains(page, "</"+extension+">"); used != strings.Contains(page, `custom-element="`+extension+`"`) {
				t.Errorf("%s: it uses %s: %v; its script is the opposite", content, extension, used)
			}
		}
	}
}

func TestAMPPagesShowTheImageOfTheArticleOnce(t *testing.T) {
	for content, want := range map[string]int{"<p>text</p>": 1, "<img src='https://x.example/?a&b'>": 1, "<img src='https://x.example/?a'>": 2} {
		page, err := single.AMP(&single.Article{Image: "https://x.example/?a&b", Content: content})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(page, "<amp-img"); got != want {
			t.Errorf("%s: %d images, want %d", content, got, want)
		}
	}
}
