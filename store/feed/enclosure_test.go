package feed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestEntryTellsItsFilesAndCategories(t *testing.T) {
	e := feed.Entry{Extra: map[string]string{
		"enclosures": `[{"url":"https://x.example/a.mp3","length":"120"},{"url":"https://x.example/b.JPG?w=1"},` +
			`{"url":"https://x.example/c","type":"image/png","length":"-3"}]`,
		"categories": `[{"term":"news"},{"term":"spt","label":"Sport"},{"term":"Sport"}]`,
	}}
	want := []feed.Enclosure{
		{URL: "https://x.example/a.mp3", Length: 120}, {URL: "https://x.example/b.JPG?w=1"},
		{URL: "https://x.example/c", Type: "image/png"},
	}
	if diff := cmp.Diff(want, e.Enclosures()); diff != "" {
		t.Error(diff)
	}
	if got := e.Image(); got != "https://x.example/b.JPG?w=1" {
		t.Errorf("got the image %s", got)
	}
	e.Set("image", "https://x.example/main.jpg")
	if got := e.Image(); got != "https://x.example/main.jpg" {
		t.Errorf("got the image %s, want the one that the entry names", got)
	}
	e.Set("media", `[{"url":"https://x.example/main.jpg","rel":"thumbnail"}]`)
	if got := e.Image(); got != "https://x.example/b.JPG?w=1" {
		t.Errorf("got the image %s, want no thumbnail", got)
	}
	if diff := cmp.Diff([]string{"news", "Sport"}, e.Categories()); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedEnclosuresAreIgnored(t *testing.T) {
	e := feed.Entry{Extra: map[string]string{"enclosures": "{", "categories": "news"}}
	if e.Enclosures() != nil || e.Image() != "" {
		t.Error("damaged enclosures are not none")
	}
	if diff := cmp.Diff([]string{"news"}, e.Categories()); diff != "" {
		t.Error(diff)
	}
	var none feed.Entry
	if none.Categories() != nil || none.Enclosures() != nil {
		t.Error("an entry without fields has some")
	}
}
