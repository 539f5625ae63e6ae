package publish_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/consumer"
	"github.com/feedwire/feedwire/publish/feedtest"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// accepted reports what keeps a document from its consumer: the rules of that one, and those of the format. It returns the
// items as a parser reads them.
func accepted(t *testing.T, name, form, document string) []readItem {
	t.Helper()
	faults := consumer.Check(name, []byte(document), day)
	switch form {
	case feedxml.Atom:
		faults = append(faults, feedtest.Atom([]byte(document))...)
	case feedxml.JSON:
		faults = append(faults, feedtest.JSONFeed([]byte(document))...)
	case feedxml.RSS:
		faults = append(faults, slices.DeleteFunc(feedtest.RSS([]byte(document)), func(fault string) bool {
			// Its consumer documents dates in ISO 8601, names as authors, and a whole document as the content.
			return name == profile.InstantArticles && slices.ContainsFunc([]string{"pubDate", "lastBuildDate", "author", "<meta>", "<link>"},
				func(part string) bool { return strings.Contains(fault, part) })
		})...)
	}
	for _, fault := range faults {
		t.Errorf("%s as %s: %s", name, form, fault)
	}
	return readItems(t, form, document)
}

// readItem is what a consumer reads of an article. A format without content has none.
type readItem struct{ Title, Content string }

func readItems(t *testing.T, form, document string) (all []readItem) {
	t.Helper()
	if form == feedxml.Sitemap {
		var read struct {
			Titles []string `xml:"url>news>title"`
		}
		if err := xml.Unmarshal([]byte(document), &read); err != nil {
			t.Fatal(err)
		}
		for _, title := range read.Titles {
			all = append(all, readItem{Title: title})
		}
		return all
	}
	if form == feedxml.AMP {
		var read struct{ Articles []struct{ HTML string } }
		if err := json.Unmarshal([]byte(document), &read); err != nil {
			t.Fatal(err)
		}
		for _, a := range read.Articles {
			_, article, _ := strings.Cut(a.HTML, "<article>")
			_, title, _ := strings.Cut(article, "<h1>")
			title, _, _ = strings.Cut(title, "</h1>")
			all = append(all, readItem{html.UnescapeString(title), article})
		}
		return all
	}
	if form == feedxml.Apple {
		var read struct {
			Articles []struct {
				Title      string
				Components []struct{ Role, Text, HTML string }
			}
		}
		if err := json.Unmarshal([]byte(document), &read); err != nil {
			t.Fatal(err)
		}
		for _, a := range read.Articles {
			it := readItem{Title: a.Title}
			for _, c := range a.Components[1:] {
				if c.Role != "author" { // plain text
					it.Content += c.Text + c.HTML
				}
			}
			all = append(all, it)
		}
		return all
	}
	read, err := gofeed.NewParser().ParseString(document)
	if err != nil {
		t.Fatalf("%s cannot be read: %v", form, err)
	}
	for _, it := range read.Items {
		all = append(all, readItem{it.Title, it.Content})
	}
	return all
}

func TestDocumentsRespectMaxBytes(t *testing.T) {
	own := profile.New("small")
	own.MaxBytes = 20_000
	f := harbourFeed("small")
	var list []feed.Article
	for i := range 20 {
		a := story(i, "<p>"+strings.Repeat("some words ", 250)+"</p>")
		a.Published = day.Add(time.Duration(i-100) * time.Minute)
		a.Feeds = map[string]feed.Placement{"news": {State: feed.StatePublished, Revision: 1, Published: a.Published}}
		list = append(list, a)
	}
	list[18].Content = "<p>" + strings.Repeat("far too many words ", 2000) + "</p>"
	document, _ := edition(t, f, "news", publish.Options{Profiles: []profile.Profile{own}}, list...)
	if len(document) > own.MaxBytes {
		t.Errorf("the document has %d bytes, more than %d", len(document), own.MaxBytes)
	}
	for i, want := range map[int]bool{19: true, 18: false, 17: true, 0: false} {
		if got := strings.Contains(document, fmt.Sprintf("Story %d<", i)); got != want {
			t.Errorf("story %d in the feed: %v, want %v", i, got, want)
		}
	}
}

func TestFormatsOfAFeedShareImpressions(t *testing.T) {
	m := newMemory(stories(1)...)
	f := production()
	f.Profile, f.Counted = "full-text", []string{"*"}
	s := serve(t, m, f, publish.Options{})
	for i, name := range []string{"production", "production.rss", "production.atom", "production.json", "production.json"} {
		resp, err := s.Client().Get(s.URL + "/feed/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var held string
		switch resp.Header.Get("Content-Type") {
		case "application/feed+json; charset=utf-8":
			var doc struct{ Items []struct{ Title string } }
			if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
				t.Fatal(err)
			}
			held = fmt.Sprint(doc.Items)
		default:
			var doc struct {
				Inner string `xml:",innerxml"`
			}
			if err := xml.NewDecoder(resp.Body).Decode(&doc); err != nil {
				t.Fatal(err)
			}
			held = doc.Inner
		}
		resp.Body.Close()
		if got, want := strings.Contains(held, "Story 0"), i < 4; got != want {
			t.Errorf("fetch %d, of %s, holds the article: %v, want %v", i+1, name, got, want)
		}
	}
	if _, promoted := m.counts(); promoted != 1 {
		t.Errorf("promoted %d articles, want 1", promoted)
	}
	resp, err := s.Client().Get(s.URL + "/feed/production.xml")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 404 {
		t.Errorf("a form that there is none of: got %d, want 404", resp.StatusCode)
	}
}

func TestItemsFollowTheirProfile(t *testing.T) {
	long := strings.Repeat("A title without end ", 10)
	for _, tt := range []struct {
		name, profile string
		change        func(a *feed.Article)
		want, never   string
	}{
		{"a long title has a short one beside it", "msn", func(a *feed.Article) { a.Title = long },
			"end</title>", "<mi:shortTitle></mi:shortTitle>"},
		{"which ends with a word", "msn", func(a *feed.Article) { a.Title = long },
			"<mi:shortTitle>A title without end A title without end A title…</mi:shortTitle>", ""},
		{"a title that fits has none", "msn", func(*feed.Article) {}, "<title>", "shortTitle"},
		{"a short title holds back", "msn", func(a *feed.Article) { a.Title = "Crane" }, "</channel>", "<item>"},
		{"no tracking in links", "full-text", func(a *feed.Article) { a.Canonical += "?utm_source=a&p=1&fbclid=2#top" },
			"<link>https://harbour.example/news/1?p=1#top</link>", "utm_source=a"},
		{"nor an empty query", "full-text", func(a *feed.Article) { a.Canonical += "?UTM_source=a" },
			"<link>https://harbour.example/news/1</link>", "news/1?"},
		{"a feed that takes recent articles only", "google-news", func(a *feed.Article) { a.Published = day.Add(-48 * time.Hour) }, "<url>", ""},
		{"has none that is older", "google-news", func(a *feed.Article) { a.Published = day.Add(-48*time.Hour - time.Second) }, "<urlset", "<url>"},
		{"the image that came with it", "newsbreak", func(*feed.Article) {},
			`<media:thumbnail url="https://harbour.example/images/crane-large.jpg?v=2" width="1600" height="900">`, ""},
		{"a thumbnail does not replace the image in the text", "newsbreak", func(a *feed.Article) {
			a.Image, a.Fields = "", thumbnail("400")
		}, `<media:thumbnail url="https://harbour.example/images/crane.jpg" width="1200" height="800">`, "small.jpg"},
		{"but a missing one", "newsbreak", func(a *feed.Article) { a.Image, a.Content, a.Fields = "", "<p>Text.</p>", thumbnail("400") },
			`<media:thumbnail url="https://harbour.example/small.jpg" width="400" height="400">`, ""},
		{"if it is large enough", "flipboard", func(a *feed.Article) { a.Image, a.Content, a.Fields = "", "<p>Text.</p>", thumbnail("400") },
			"</channel>", "<item>"},
		{"the language of an article in another one", "full-text", func(a *feed.Article) { a.Fields["language"] = "de" },
			"<dc:language>de</dc:language>", ""},
		{"but not that of the feed", "full-text", func(*feed.Article) {}, "<dc:rights>© Ann Mast</dc:rights>", "dc:language"},
		{"positions where they are known", "flipboard", func(*feed.Article) {}, ">53.54 9.98</georss:point>", "creativeCommons"},
		{"and not elsewhere", "newsbreak", func(*feed.Article) {}, "<item>", "georss"},
		{"else the first one in the text", "newsbreak", func(a *feed.Article) { a.Image = "" },
			`<media:thumbnail url="https://harbour.example/images/crane.jpg" width="1200" height="800">`, ""},
		{"that is large enough", "flipboard", func(a *feed.Article) {
			a.Image, a.Content = "", `<img src="/s.png" width="900" height="100"><img src="/l.png" width="900" height="600">`+a.Content
		}, `<enclosure url="https://harbour.example/l.png" length="0" type="image/png">`, `url="https://harbour.example/s.png"`},
		{"no image holds back", "newsbreak", func(a *feed.Article) { a.Image, a.Content = "", "<p>Text.</p>" }, "</channel>", "<item>"},
		{"the feed stands for an author", "newsbreak", func(a *feed.Article) { a.Authors = []string{" \x01"} },
			"<dc:creator>Harbour news</dc:creator>", ""},
		{"or without an author", "full-text", func(a *feed.Article) { a.Authors = nil }, "<item>", "<dc:creator>"},
		{"a title from the text", "full-text", func(a *feed.Article) { a.Title = "" }, "<title>The crane of 1887 has left", ""},
		{"the text as description", "flipboard", func(*feed.Article) {}, "<description>The crane of 1887", "It took a week"},
		{"or its summary", "full-text", func(*feed.Article) {}, "<description>It took a week &amp; two barges.</description>", ""},
		{"no categories in instant articles", "instant-articles", func(*feed.Article) {}, "<item>", "<category>"},
		{"marks that every item has", "dzen", func(*feed.Article) {},
			"<category>format-article</category><category>index</category>", "<category>Harbour"},
		{"a rating", "dzen", func(*feed.Article) {}, "<media:rating>nonadult</media:rating>", ""},
		{"a film or sound", "full-text", func(*feed.Article) {},
			`<enclosure url="https://harbour.example/crane.mp3" length="4000000" type="audio/mpeg">`, ""},
		{"a video", "smartnews", func(*feed.Article) {},
			`<snf:video url="https://harbour.example/crane.mp4" caption="The crane at sea"></snf:video>`, "<enclosure"},
		{"only one video", "smartnews", func(a *feed.Article) {
			a.Enclosures = append(a.Enclosures, feed.Enclosure{URL: "https://x.example/2.mp4"})
		}, "<snf:video", "2.mp4"},
		{"analytics, with strings for scripts", "smartnews", func(a *feed.Article) { a.Title = `</script>"x]]>` },
			`<snf:analytics><![CDATA[<script>count("\u003c/script\u003e\"x]]\u003e", "https://harbour.example/news/1")</script>]]></snf:analytics>`, ""},
		{"an advertisement", "smartnews", func(*feed.Article) {},
			`<snf:advertisement><snf:adcontent><![CDATA[<script src="https://ads.example/slot.js"`, ""},
		{"neither elsewhere", "newsbreak", func(*feed.Article) {}, "<item>", "ads.example/slot.js"},
		{"what an image shows", "msn", func(a *feed.Article) { a.Image = "" },
			`<media:text type="plain">The crane</media:text><mi:hasSyndicationRights>1</mi:hasSyndicationRights></media:content>`, ""},
		{"with an absolute address", "full-text", func(a *feed.Article) {
			a.Enclosures = []feed.Enclosure{a.Enclosures[0], {URL: "/crane.mp3"}}
		}, "<item>", "<enclosure"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := paper()[1]
			tt.change(&a)
			document, _ := edition(t, harbourFeed(tt.profile), "news", publish.Options{}, a)
			if !strings.Contains(document, tt.want) || tt.never != "" && strings.Contains(document, tt.never) {
				t.Errorf("want %s and not %q in\n%s", tt.want, tt.never, document)
			}
		})
	}
}

func TestArticlesLeaveTheFeedAtTheMaximumAge(t *testing.T) {
	a, now := paper()[1], day
	a.Published = day.Add(-47 * time.Hour)
	p := publish.New(newMemory(a), []feed.Outgoing{harbourFeed("google-news")}, publish.Options{Now: func() time.Time { return now }})
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {time.Hour, 1}, {time.Second, 0}} {
		now = now.Add(step.after)
		d, err := p.Document(t.Context(), "news")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(d.Body), "<url>"); got != step.want {
			t.Errorf("%v after publication: %d articles, want %d", now.Sub(a.Published), got, step.want)
		}
	}
	if reason := p.Blocked(&a, "news"); !strings.Contains(reason, "articles of the last 48 hours only") {
		t.Errorf("the article is blocked for the reason %q", reason)
	}
}

func TestSitemapsNameLanguagesByISO639(t *testing.T) {
	for tag, want := range map[string]string{"en-GB": "en", "zh-TW": "zh-tw", "zh-Hans": "zh", "nds": "nds"} {
		f := harbourFeed("google-news")
		f.Language = tag
		if document, _ := edition(t, f, "news", publish.Options{}, paper()...); !strings.Contains(document, "<news:language>"+want+"</news:language>") {
			t.Errorf("%s: no language %s in\n%s", tag, want, document)
		}
	}
}

// thumbnail returns the fields of an article whose main image is a square thumbnail.
func thumbnail(size string) feed.FieldValues {
	const url = "https://harbour.example/small.jpg"
	return feed.FieldValues{"image": url, "media": `[{"url":"` + url + `","rel":"thumbnail","width":` + size + `,"height":` + size + `}]`}
}

func TestPodcastsHaveWhatDirectoriesRequire(t *testing.T) {
	a := paper()[1]
	a.Enclosures = []feed.Enclosure{
		{URL: "https://harbour.example/crane.ogg", Type: "audio/ogg", Length: 1},
		{URL: "https://harbour.example/crane.mp3", Type: "audio/mpeg", Length: 4_000_000},
	}
	a.Fields = map[string]string{
		"image": "https://harbour.example/episode.jpg", "duration": "1800", "episode": "3", "season": "2", "episode_type": "full", "explicit": "false",
		"transcripts": `[{"url":"https://harbour.example/t.vtt","type":"text/vtt"}]`, "persons": `[{"name":"Ann Mast","role":"host"}]`,
		"chapters_url": "https://harbour.example/chapters.json",
	}
	document, _ := edition(t, harbourFeed("podcast"), "news", publish.Options{}, a)
	accepted(t, "podcast", feedxml.RSS, document)
	for _, want := range []string{
		`<itunes:image href="https://harbour.example/logo.png">`, `<itunes:explicit>false</itunes:explicit>`,
		`<itunes:category text="Society &amp; Culture"><itunes:category text="Documentary">`,
		`<itunes:author>Harbour news</itunes:author>`, `<itunes:email>desk@harbour.example</itunes:email>`,
		`<enclosure url="https://harbour.example/crane.mp3" length="4000000" type="audio/mpeg">`,
		`<itunes:image href="https://harbour.example/episode.jpg">`, `<itunes:duration>1800<`, `<itunes:episode>3<`, `<itunes:season>2<`,
		`<itunes:episodeType>full<`, `<podcast:transcript url="https://harbour.example/t.vtt" type="text/vtt">`,
		`<podcast:person role="host">Ann Mast<`, `<podcast:chapters url="https://harbour.example/chapters.json" type="application/json+chapters">`,
	} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s in\n%s", want, document)
		}
	}
	if strings.Contains(document, "crane.ogg") {
		t.Error("a file that the consumer does not play is in the feed")
	}
	a.Fields["episode"] = "3.5"
	if document, _ := edition(t, harbourFeed("podcast"), "news", publish.Options{}, a); !strings.Contains(document, "<podcast:episode>3.5<") ||
		strings.Contains(document, "<itunes:episode>") {
		t.Errorf("a half episode has a number for Apple in\n%s", document)
	}
	a.Enclosures = a.Enclosures[:1]
	if document, _ := edition(t, harbourFeed("podcast"), "news", publish.Options{}, a); strings.Contains(document, "<item>") {
		t.Error("an episode without a file that the consumer plays is in the feed")
	}
}

func TestLongDescriptionsOfFeedsAreCut(t *testing.T) {
	f := harbourFeed("smartnews")
	f.Description = "All of the harbour, its ferries and its cranes"
	document, _ := edition(t, f, "news", publish.Options{})
	if want := "<description>All of the harbour, its…</description>"; !strings.Contains(document, want) {
		t.Errorf("no %s in\n%s", want, document)
	}
}

func TestPreviewFollowsTheProfile(t *testing.T) {
	p := publish.New(newMemory(), []feed.Outgoing{harbourFeed("newsbreak")}, publish.Options{})
	v, err := p.Preview(t.Context(), paper()[1], "news")
	if err != nil || !strings.Contains(v.Markup, "<figcaption>The crane at dawn") || strings.Contains(v.Markup, "<html") {
		t.Errorf("got %v, %s", err, v.Markup)
	}
	if len(v.Warnings) == 0 {
		t.Error("nothing is said of the frame that is not shown")
	}
}
