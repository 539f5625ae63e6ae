package publish_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

var update = flag.Bool("update", false, "write the golden feeds anew")

// day is when the golden feeds are made.
var day = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// paper is articles as a paper would send them: one with all there is, one with little.
func paper() []feed.Article {
	rich, err := os.ReadFile("testdata/golden/article.html")
	if err != nil {
		panic(err)
	}
	article := func(guid, title, content string, hour int) feed.Article {
		at := day.Add(time.Duration(hour-24) * time.Hour)
		return feed.Article{
			UUID: feed.ArticleUUID("https://harbour.example/feed", guid), GUID: guid, FeedURL: "https://harbour.example/feed",
			Title: title, Canonical: "https://harbour.example/news/" + guid, Content: content, Digest: guid,
			Published: at, Modified: at.Add(30 * time.Minute),
			Feeds: map[string]feed.Placement{"news": {State: feed.StatePublished, Revision: 1, Published: at}},
		}
	}
	plain := article("2", "Ferry timetable for the winter", "<p>From Monday on the last boat leaves at eight.</p>", 4)
	full := article("1", "The old crane of the harbour is <moved> & saved", string(rich), 8)
	full.Authors = []string{"Ann Mast", "Ben Keel"}
	full.Categories = []string{"Harbour", "Cranes & ropes"}
	full.Image = "https://harbour.example/images/crane-large.jpg?v=2"
	full.Enclosures = []feed.Enclosure{
		{URL: full.Image, Type: "image/jpeg", Length: 120_000}, {URL: "https://harbour.example/crane.mp3", Type: "audio/mpeg", Length: 4_000_000},
	}
	full.Summary = "<p>It took a week &amp; two barges.</p>"
	return []feed.Article{plain, full}
}

// edition makes the document of one feed as it stands at day.
func edition(t *testing.T, f feed.Outgoing, name string, opts publish.Options, articles ...feed.Article) (string, string) {
	t.Helper()
	opts.PublicURL, opts.HubURL = "https://wire.example", "https://wire.example/hub"
	opts.Now = func() time.Time { return day }
	p := publish.New(newMemory(articles...), []feed.Outgoing{f}, opts)
	body, contentType, err := p.Document(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), contentType
}

// golden compares text with a file, or writes it with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s differs (-want +got); look at it, then run go test ./publish -update:\n%s", name, diff)
	}
}

// harbourFeed is the golden feed of a profile.
func harbourFeed(profile string) feed.Outgoing {
	return feed.Outgoing{
		Type: "news", Profile: profile, Title: "Harbour news", Link: "https://harbour.example/",
		Description: "All of the harbour", Language: "en", Copyright: "© Harbour",
		Logo: "https://harbour.example/logo.png", DarkLogo: "https://harbour.example/dark.png",
	}
}

func TestEachProfileHasItsGoldenFeed(t *testing.T) {
	for _, name := range profile.Names() {
		p, _ := profile.Find(name, nil)
		for _, form := range p.Forms {
			t.Run(p.Name+"."+form, func(t *testing.T) {
				document, contentType := edition(t, harbourFeed(p.Name), "news."+form, publish.Options{}, paper()...)
				golden(t, p.Name+"."+form, document)
				accepted(t, p.Name, form, document)
				if want := mediaTypes()[form] + "; charset=utf-8"; contentType != want {
					t.Errorf("got the type %s, want %s", contentType, want)
				}
			})
		}
	}
}

func mediaTypes() map[string]string {
	return map[string]string{
		feedxml.RSS: "application/rss+xml", feedxml.Atom: "application/atom+xml", feedxml.JSON: "application/feed+json",
	}
}
