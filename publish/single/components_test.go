package single_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/single"
)

func appleNews(t *testing.T, a *single.Article) []byte {
	t.Helper()
	document, err := single.AppleNews(a)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func TestContentBecomesComponents(t *testing.T) {
	for content, want := range map[string]string{
		"<p>one</p><p>two</p>":       "body <p>one</p><p>two</p>",
		"a &lt; b <b>&amp;</b>":      "body a &lt; b <b>&amp;</b>",
		"<h2>A <i>head</i></h2>text": "heading2 A <i>head</i>|body text",
		"<p>left <a href='https://x.example/?a&b'><img src='https://x.example/i'></a> right</p>": "body <p>left <a href=\"https://x.example/?a&amp;b\"></a></p>|photo https://x.example/i|body <p><a href=\"https://x.example/?a&amp;b\"></a> right</p>",
		"<figure><img src='https://x.example/i' alt='x'><figcaption>C</figcaption></figure>":     "photo https://x.example/i|caption C",
		"<blockquote><p>said</p></blockquote>":                                                   "quote <p>said</p>",
		"<table><tr><td colspan=\"2\">a<img src='https://x.example/i'></td></tr></table>":        "htmltable <table><tr><td colspan=\"2\">a</td></tr></table>|photo https://x.example/i",
		"<table><tr><td><img src='https://x.example/i'></td></tr></table>":                       "photo https://x.example/i",
		"<video><source src='https://x.example/v'></video><audio></audio>":                       "video https://x.example/v",
		"<p>a<br>b</p><hr><p> </p>":              "body <p>a<br>b</p>|divider ",
		"<ul><li>a</li></ul><div><u>c</u></div>": "body <ul><li>a</li></ul>c",
		"":                                       "",
	} {
		var read struct {
			Components []struct{ Role, Text, HTML, URL string }
		}
		if err := json.Unmarshal(appleNews(t, &single.Article{Content: content}), &read); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range read.Components[1:] { // after the title
			got = append(got, fmt.Sprint(c.Role, " ", c.Text, c.HTML, c.URL))
		}
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("%s:\ngot  %s\nwant %s", content, all, want)
		}
	}
}

func TestImageOfTheArticleIsShownOnce(t *testing.T) {
	for content, want := range map[string]int{"<p>text</p>": 1, "<img src='https://x.example/i'>": 1, "<img src='https://x.example/j'>": 2} {
		document := appleNews(t, &single.Article{Image: "https://x.example/i", Content: content})
		if got := strings.Count(string(document), `"photo"`); got != want {
			t.Errorf("%s: %d photos, want %d", content, got, want)
		}
	}
}
