package consumer_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/consumer"
)

var day = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// example returns a feed from the reference of profiles, which package publish compares with what it renders.
func example(t testing.TB, name string) string {
	page, err := os.ReadFile("../../docs/reference/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "\n### "+name+"\n\n```\n")
	document, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatalf("the reference of profiles has no example %s", name)
	}
	return document
}

// Each case makes one change to a feed that its consumer accepts.
func TestCheckReportsEachViolation(t *testing.T) {
	const date = "<pubDate>Thu, 19 Nov 2026 20:00:00 +0000</pubDate>"
	const moved = "The old crane of the harbour is &amp;lt;moved&amp;gt; &amp;amp; saved</title>"
	for _, tt := range []struct{ feed, old, new, fault string }{
		{"full-text.rss", "</channel>", "", "not well-formed"},
		{"full-text.rss", "<category>", "<x:y></x:y><category>", "prefix x"},
		{"full-text.rss", `version="2.0"`, `version="0.91"`, "neither RSS 2.0, Atom nor a sitemap"},
		{"full-text.rss", "<description>All of the harbour</description>", "", "channel has no description"},
		{"full-text.rss", date, "", "has no pubDate"},
		{"full-text.rss", "ff52969d-a5cc-5aa8-bf73-ce8d1343d579", "c6fc6ea5-8d80-57fe-a748-13010fb8f6fd", "two items have the guid"},
		{"full-text.atom", "<id>urn:uuid:c6fc6ea5-8d80-57fe-a748-13010fb8f6fd</id>", "", "has no id"},
		{"full-text.json", `"version":"https://jsonfeed.org/version/1.1"`, `"version":"2"`, "version or title"},
		{"full-text.json", `"id":"urn:uuid:c6fc6ea5-8d80-57fe-a748-13010fb8f6fd"`, `"id":""`, "has no id"},
		{"instant-articles.rss", "<pubDate>2026-11-19T20:00:00Z", "<pubDate>Thu, 19 Nov 2026 20:00:00 +0000", "not an ISO 8601 date"},
		{"instant-articles.rss", `content="v1.0"`, `content="v2.0"`, "op:markup_version"},
		{"instant-articles.rss", "<link>https://harbour.example/news/1", "<link>https://harbour.example/news/x", `rel="canonical"`},
		{"smartnews.rss", "All of the harbour", "All of the harbour, its ferries, cranes and barges", "description of the channel"},
		{"smartnews.rss", "<pubDate>Thu, 19 Nov 2026 20:30:00 +0000</pubDate>", "", "pubDate"},
		{"smartnews.rss", "<language>en</language>", "", "no language"},
		{"smartnews.rss", "<snf:logo><url>https://harbour.example/logo.png</url>", "<snf:logo>", "snf:logo has no url"},
		{"smartnews.rss", "<link>https://harbour.example/news/1", "<link>https://harbour.example/news/1?utm_source=x", "utm"},
		{"smartnews.rss", `<media:thumbnail url="https://harbour.example`, `<media:thumbnail url="`, "thumbnail"},
		{"smartnews.rss", `<snf:video url="https://harbour.example`, `<snf:video url="`, "snf:video has no absolute URL"},
		{"smartnews.rss", "<snf:analytics>", "<snf:analytics></snf:analytics><snf:analytics>", "snf:analytics is empty"},
		{"smartnews.rss", "<snf:adcontent>", "<snf:adcontent></snf:adcontent><snf:adcontent>", "neither snf:adcontent"},
		{"smartnews.rss", "<h3>A week of work</h3>", "<marquee>A week</marquee>", "element marquee"},
		{"smartnews.rss", "<h3>A week of work</h3>", `<h3 onclick="x()">A week</h3>`, "attribute onclick"},
		{"smartnews.rss", "<h3>A week of work</h3>", `<img src="/a.png">`, "no absolute URL"},
		{"smartnews.rss", "<h3>A week of work</h3>", strings.Repeat("<p>word</p>", 100_000), "1 MB"},
		{"msn.rss", "<title>" + moved, "<title>Crane</title>", "5 characters"},
		{"msn.rss", "<title>" + moved, "<title>" + strings.Repeat("long ", 40) + "</title>", "199 characters"},
		{"msn.rss", date, date + "<mi:shortTitle>" + strings.Repeat("x", 55) + "</mi:shortTitle>", "short title has 55"},
		{"msn.rss", date, "<pubDate>Thu, 19 Nov 2027 20:00:00 +0000</pubDate>", "future"},
		{"msn.rss", date, "<pubDate>Tue, 19 Nov 2024 20:00:00 +0000</pubDate>", "older than a year"},
		{"msn.rss", date, "<pubDate>2026-11-19T20:00:00Z</pubDate>", "not an RFC 822 date"},
		{"msn.rss", "<dcterms:modified>2026-11-19T20:30:00Z", "<dcterms:modified>2026-11-18T20:30:00Z", "not a date after pubDate"},
		{"msn.rss", `<media:content url="https://harbour.example`, `<media:content url="`, "media:content has no"},
		{"msn.rss", ">The crane</media:title>", "></media:title>", "media:title is empty"},
		{"msn.rss", ">On two barges</media:text>", "></media:text>", "media:text is empty"},
		{"msn.rss", ">1</mi:hasSyndicationRights>", ">yes</mi:hasSyndicationRights>", "instead of 0 or 1"},
		{"msn.rss", "<h3>A week of work</h3>", "<figure></figure>", "element figure"},
		{"msn.rss", "<h3>A week of work</h3>", strings.Repeat("<div>", 10) + strings.Repeat("</div>", 10), "nested 10 deep"},
		{"flipboard.rss", "<link>https://harbour.example/news/1", "<link>https://other.example/news/1", "not on harbour.example"},
		{"flipboard.rss", `type="image/jpeg"></enclosure>`, `type="audio/mpeg"></enclosure>`, "no enclosure"},
		{"flipboard.rss", "<description>The crane", "<description>The</description><description>crane", "at least 300"},
		{"newsbreak.rss", `isPermaLink="true"`, `isPermaLink="false"`, "not its permalink"},
		{"newsbreak.rss", "<dc:creator>Ann Mast</dc:creator><dc:creator>Ben Keel</dc:creator>", "", "no creator"},
		{"google-news.sitemap", "<loc>https://harbour.example/news/2</loc>", "<loc>https://harbour.example/news/1</loc>", "two articles"},
		{"google-news.sitemap", "<loc>https://harbour.example/news/2</loc>", "<loc>/news/2</loc>", "not an absolute URL"},
		{"google-news.sitemap", "<loc>https://harbour.example/news/2", "<loc>https://harbour.example/" + strings.Repeat("news", 600), "2047 characters"},
		{"google-news.sitemap", "<news:name>Harbour news</news:name>", "", "has no name"},
		{"google-news.sitemap", "<news:language>en</news:language>", "<news:language></news:language>", "set the language of the feed"},
		{"google-news.sitemap", "<news:language>en<", "<news:language>English<", "no code of ISO 639"},
		{"google-news.sitemap", "<news:title>Ferry timetable for the winter</news:title>", "", "has no title"},
		{"google-news.sitemap", "2026-11-19T20:00:00Z</news:publication_date>", "2026-11-18T11:59:59Z</news:publication_date>", "two days"},
		{"google-news.sitemap", "2026-11-19T20:00:00Z</news:publication_date>", "yesterday</news:publication_date>", "not a W3C date"},
		{"google-news.sitemap", "2026-11-19T20:30:00Z</lastmod>", "now</lastmod>", "lastmod"},
		{"google-news.sitemap", "<news:publication>", "<news:other>", "not well-formed"},
		{"google-news.sitemap", "<url>", strings.Repeat("<url></url>", 999) + "<url>", "1001 articles"},
		{"yahoo.rss", "<dc:creator>Ann Mast</dc:creator><dc:creator>Ben Keel</dc:creator>", "", "no creator"},
		{"yahoo.rss", `<media:content url="https://harbour.example`, `<media:content url="`, "media:content has no"},
		{"yahoo.rss", ">Cy Sail</media:credit>", "></media:credit>", "media:credit is empty"},
		{"yahoo.rss", "<h3>A week of work</h3>", "<marquee></marquee>", "element marquee"},
		{"dzen.rss", "<category>format-article</category>", "", "no category is format-article or format-post"},
		{"dzen.rss", "<category>index</category>", "", "no category is index or noindex"},
		{"dzen.rss", "<media:rating>nonadult", "<media:rating>all", "instead of adult or nonadult"},
		{"dzen.rss", `type="image/jpeg"`, `type="audio/mpeg"`, "no enclosure with an image"},
		{"dzen.rss", date, "<pubDate>Tue, 17 Nov 2026 11:59:00 +0000</pubDate>", "older than three days"},
		{"dzen.rss", "<language>en</language>", "", "no language"},
		{"dzen.rss", "<h3>A week of work</h3>", "<table></table>", "element table"},
		{"podcast.rss", `<itunes:image href="https://harbour.example/logo.png">`, `<itunes:image>`, "set the logo"},
		{"podcast.rss", "logo.png", "logo.svg", "no .jpg or .png"},
		{"podcast.rss", `<itunes:category text="Society &amp; Culture">`, `<itunes:other>`, "not well-formed"},
		{"podcast.rss", `<itunes:category text="Society &amp; Culture">`, `<itunes:category text="Cranes">`, "no category of Apple"},
		{"podcast.rss", "<itunes:explicit>false</itunes:explicit>", "", "instead of true or false"},
		{"podcast.rss", "<language>en</language>", "", "no language"},
		{"podcast.rss", "All of the harbour", strings.Repeat("All ", 1001), "description of the channel has 4003 bytes"},
		{"podcast.rss", "It took a week", strings.Repeat("All ", 1001), "its description has"},
		{"podcast.rss", "<enclosure ", "<other ", "not well-formed"},
		{"podcast.rss", `<enclosure url="https://harbour.example`, `<enclosure url="`, "no enclosure"},
		{"podcast.rss", `length="4000000"`, `length=""`, "no length"},
		{"podcast.rss", `type="audio/mpeg"`, `type="audio/ogg"`, "does not play"},
		{"podcast.rss", `type="audio/mpeg"`, `type="video/mp4"`, "end with .mp4"},
		{"podcast.rss", date, "", "not an RFC 822 date"},
		{"podcast.rss", date, date + "<itunes:episode>1.5</itunes:episode>", "whole number above 0"},
		{"podcast.rss", date, date + "<itunes:season>0</itunes:season>", "whole number above 0"},
		{"podcast.rss", date, date + "<itunes:duration>an hour</itunes:duration>", "not in seconds"},
		{"podcast.rss", date, date + "<itunes:explicit>clean</itunes:explicit>", "true or false"},
		{"podcast.rss", date, date + "<itunes:episodeType>half</itunes:episodeType>", "full or trailer or bonus"},
		{"podcast.rss", date, date + `<itunes:image href="/i.jpg"></itunes:image>`, "itunes:image has no absolute URL"},
		{"podcast.rss", date, date + `<podcast:transcript url="https://x.example/t"></podcast:transcript>`, "no url or no type"},
		{"podcast.rss", date, date + "<podcast:person></podcast:person>", "no name"},
		{"apple-news.apple-news", `"language":"en",`, ``, "set the language of the feed"},
		{"apple-news.apple-news", `"version":"1.7"`, `"version":"1.0"`, "/version"},
		{"apple-news.apple-news", `"identifier":"ff52969d-a5cc-5aa8-bf73-ce8d1343d579"`, `"identifier":"c6fc6ea5-8d80-57fe-a748-13010fb8f6fd"`, "two articles"},
		{"apple-news.apple-news", `"identifier":"ff52969d`, `"identifier":"a b`, "/identifier"},
		{"apple-news.apple-news", `"layout":{"columns":7,`, `"layout":{`, "/layout"},
		{"apple-news.apple-news", `"default":{`, `"other":{`, "/componentTextStyles"},
		{"apple-news.apple-news", `"role":"photo"`, `"role":"picture"`, "/components/2/role"},
		{"apple-news.apple-news", `"role":"photo","URL":"https://harbour.example`, `"role":"photo","URL":"`, "/components/2/URL"},
		{"apple-news.apple-news", `"role":"photo","URL"`, `"role":"photo","url"`, "missing property 'URL'"},
		{"apple-news.apple-news", "https://www.youtube.com/embed", "https://ads.example/embed", "/components"},
		{"apple-news.apple-news", `"html":"<table>`, `"html":"<p><table>`, "/html"},
		{"apple-news.apple-news", `"datePublished":"2026-11-19T20:00:00Z"`, `"datePublished":"yesterday"`, "/metadata/datePublished"},
		{"apple-news.apple-news", "<b>left the harbour</b>", "<iframe></iframe>", "rejects the element iframe"},
		{"apple-news.apple-news", "<b>left the harbour</b>", "<marquee>left</marquee>", "does not know the element marquee"},
		{"apple-news.apple-news", `"title":"The old crane of the harbour is <moved> & saved","layout"`, `"title":1,"layout"`, "not Apple News Format"},
		{"amp.amp", "<!doctype html>", "", "does not start with"},
		{"amp.amp", "<html amp ", "<html ", "lacks html amp"},
		{"amp.amp", `<meta charset=\"utf-8\">`, "", "lacks charset"},
		{"amp.amp", "width=device-width", "width=900", "lacks viewport"},
		{"amp.amp", `rel=\"canonical\"`, `rel=\"other\"`, "lacks canonical"},
		{"amp.amp", "v0.js", "v1.js", `v1.js" is not allowed`},
		{"amp.amp", "8s steps", "7s steps", "boilerplate differs"},
		{"amp.amp", "<style amp-custom>", "<style>", "without amp-custom"},
		{"amp.amp", "<style amp-custom>", "<style amp-custom>p{color:red !important}", "!important"},
		{"amp.amp", `{\"@context\"`, `{@context`, "no JSON"},
		{"amp.amp", "<b>left the harbour</b>", "<img>", "element img"},
		{"amp.amp", "<b>left the harbour</b>", "<script>x()</script>", "element script is not allowed"},
		{"amp.amp", "<b>left the harbour</b>", `<b onclick=\"x()\">left</b>`, "attribute onclick"},
		{"amp.amp", "<b>left the harbour</b>", `<b class=\"i-amp-x\">left</b>`, "reserved"},
		{"amp.amp", "<b>left the harbour</b>", `<a href=\"javascript:x()\">left</a>`, "runs a script"},
		{"amp.amp", "<b>left the harbour</b>", `<a target=\"_top\">left</a>`, "target _top"},
		{"amp.amp", "<b>left the harbour</b>", `<amp-img src=\"https://x.example/i\"></amp-img>`, "amp-img has no size"},
		{"amp.amp", "<b>left the harbour</b>", `<amp-audio width=\"auto\" src=\"http://x.example/i\"></amp-audio>`, "requires a URL with https"},
		{"amp.amp", "<b>left the harbour</b>", `<amp-vimeo layout=\"fill\"></amp-vimeo>`, "amp-vimeo without its script"},
		{"amp.amp", "<b>left the harbour</b>", `<amp-vimeo layout=\"fill\"></amp-vimeo>`, "no data-videoid"},
		{"amp.amp", `<amp-img src=\"https://harbour.example`, `<amp-img src=\"`, "no absolute URL"},
		{"amp.amp", "<amp-youtube", "<amp-vimeo", "which it does not use"},
		{"amp.amp", `"identifier":"ff52969d-a5cc-5aa8-bf73-ce8d1343d579"`, `"identifier":"c6fc6ea5-8d80-57fe-a748-13010fb8f6fd"`, "two articles"},
	} {
		t.Run(tt.feed+" "+tt.fault, func(t *testing.T) {
			document := example(t, tt.feed)
			name, _, _ := strings.Cut(tt.feed, ".")
			if faults := consumer.Check(name, []byte(document), day); len(faults) > 0 {
				t.Fatalf("the unchanged feed: %q", faults)
			}
			broken := strings.Replace(document, tt.old, tt.new, 1)
			if broken == document {
				t.Fatalf("the feed does not contain %s", tt.old)
			}
			faults := consumer.Check(name, []byte(broken), day)
			if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, tt.fault) }) {
				t.Errorf("got %q, want one with %q", faults, tt.fault)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, name := range []string{"full-text.rss", "full-text.atom", "full-text.json", "msn.rss", "google-news.sitemap", "apple-news.apple-news", "amp.amp"} {
		f.Add([]byte(example(f, name)))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, name := range []string{"instant-articles", "smartnews", "msn", "flipboard", "newsbreak", "yahoo", "dzen", "podcast", "full-text", "own"} {
			if faults := consumer.Check(name, document, day); len(faults) > 50 {
				t.Errorf("%s: %d faults", name, len(faults))
			}
		}
	})
}
