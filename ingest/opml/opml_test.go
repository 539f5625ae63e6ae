package opml_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/feedwire/feedwire/ingest/opml"
	"github.com/feedwire/feedwire/store/feed"
)

func readOPML(t *testing.T, body string) []feed.ListedSource {
	t.Helper()
	all, err := opml.Read([]byte(body), "")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReadOPMLOfOthers(t *testing.T) {
	got := readOPML(t, "\xef\xbb\xbf"+`<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- exported --><OPML version='1.0'><head><title>Mine</title></head><Body>
<outline TEXT="News"><outline title="Tech &amp; Co">
  <OUTLINE text="Één" XMLURL="HTTP://One.example:80/feed?a=1&b=2&copy=3" htmlurl="https://one.example/" type="RSS"/>
  <outline text="One again" xmlUrl="http://one.example/feed?a=1&b=2&copy=3" category="Top,/Deep/er"/>
</outline><outline text="Two" type="rss" url="https://two.example/rss"><outline text="Three" xmlUrl="https://three.example/"/></outline></outline>
<outline text="https://four.example/f" xmlUrl="https://four.example/f" htmlUrl="javascript:alert(1)"/>
<outline text="An include" type="include" url="https://x.example/other.opml"/>
<outline text="Broken" xmlUrl="ftp://five.example/"/><outline text="Empty" xmlUrl=""/>
</Body></OPML>`)
	want := []feed.ListedSource{
		{Source: feed.Source{
			URL: "http://one.example/feed?a=1&b=2&copy=3", About: feed.About{Title: "Één", Link: "https://one.example/"},
			Categories: []string{"News/Tech & Co", "Top", "Deep/er"},
		}, Folder: "News/Tech & Co"},
		{Source: feed.Source{URL: "https://two.example/rss", About: feed.About{Title: "Two"}, Categories: []string{"News"}}, Folder: "News"},
		{Source: feed.Source{URL: "https://three.example/", About: feed.About{Title: "Three"}, Categories: []string{"News"}}, Folder: "News"},
		{Source: feed.Source{URL: "https://four.example/f"}},
		{Source: feed.Source{URL: "ftp://five.example/", About: feed.About{Title: "Broken"}}, Problem: "start with http"},
	}
	for i := range want {
		if want[i].Problem == "" {
			want[i].Source.ID = feed.SourceID(want[i].Source.URL)
		}
	}
	same := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Problem" },
		cmp.Comparer(func(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) && b != "" }))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadOPMLIgnoresProxies(t *testing.T) {
	for _, proxy := range []string{"http://10.0.0.1:3128", "socks5://127.0.0.1:1080", "direct", "nonsense"} {
		got := readOPML(t, `<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body>
<outline xmlUrl="https://a.example/" f:proxy="`+proxy+`"/><outline xmlUrl="https://b.example/"/></body></opml>`)
		if len(got) != 2 || got[0].Source.Request.Proxy != "" || got[0].Problem != "" || got[1].Ignored != "" ||
			!strings.Contains(got[0].Ignored, "its proxy was ignored") {
			t.Errorf("%s: got %+v", proxy, got)
		}
	}
}

func TestReadOPMLTellsWhatIsWrongWithOneFeed(t *testing.T) {
	for attribute, want := range map[string]string{
		`publish="maybe"`:      "auto or manual",
		`interval="soon"`:      "1h30m",
		`interval="-1h"`:       "1h30m",
		`paused="perhaps"`:     "true or false",
		`filters="{"`:          "filters",
		`filters='{"kep":[]}'`: "kep",
		`filters='{"keep":[{"field":"title","match":"("}]}'`: "missing closing",
	} {
		got := readOPML(t, `<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body>
<outline xmlUrl="https://a.example/" f:`+attribute+`/><outline xmlUrl="https://b.example/"/></body></opml>`)
		if len(got) != 2 || !strings.Contains(got[0].Problem, want) || got[1].Problem != "" {
			t.Errorf("%s: got %+v", attribute, got)
		}
	}
}

func TestReadOPMLRefusesWhatIsNone(t *testing.T) {
	outlines := strings.Repeat("<outline text='x'/>", 20_001)
	for _, tt := range []struct {
		name, body string
		want       feed.FailureClass
	}{
		{"nothing", "", feed.FailureNotAFeed},
		{"a feed", "<rss><channel/></rss>", feed.FailureNotAFeed},
		{"a page", "<!doctype html><html><body>", feed.FailureNotAFeed},
		{"text", "https://a.example/\n", feed.FailureNotAFeed},
		{"cut off", `<opml><body><outline xmlUrl="https://a.example/"/><outl`, feed.FailureParse},
		{"deep", "<opml>" + strings.Repeat("<outline text='x'>", 65), feed.FailureLimits},
		{"many", "<opml><body>" + outlines, feed.FailureLimits},
		{"long", "<opml><body><outline text='" + strings.Repeat("x", 70_000) + "'/>", feed.FailureLimits},
		{"attributes", "<opml><body><outline " + strings.Repeat("a='' ", 300) + "/>", feed.FailureLimits},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := opml.Read([]byte(tt.body), "application/xml")
			if got, ok := errors.AsType[*feed.PollError](err); !ok || got.Class != tt.want {
				t.Errorf("got %v, want class %s", err, tt.want)
			}
		})
	}
}

func TestReadOPMLFindsTheEncoding(t *testing.T) {
	const body = "<opml><body><outline text='Caf\xe9' xmlUrl='https://a.example/'/></body></opml>"
	for name, in := range map[string]struct{ body, contentType string }{
		"declared":       {`<?xml version="1.0" encoding="iso-8859-15"?>` + body, ""},
		"in the header":  {body, "text/xml; charset=windows-1252"},
		"nowhere at all": {body, ""},
	} {
		got, err := opml.Read([]byte(in.body), in.contentType)
		if err != nil || len(got) != 1 || got[0].Source.About.Title != "Café" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// source makes a source of any kind that feedwire can have.
func source(r *rand.Rand, n int) feed.Source {
	words := []string{"a", "Ω", "<b>&amp;", `"quoted"`, "it's", "x]]>y", "日本", "TCP/IP", "1 2", "--", "%20", "#"}
	text := func(most int) string {
		var parts []string
		for range r.IntN(most + 1) {
			parts = append(parts, words[r.IntN(len(words))])
		}
		return strings.Join(parts, " ")
	}
	var filters []feed.Filter
	for range r.IntN(3) {
		filters = append(filters, feed.Filter{Field: feed.FilterFields()[r.IntN(6)], Match: "(?i)" + text(2) + `\d+\s"<&>'` + "\t\n"})
	}
	s := feed.Source{
		URL:     fmt.Sprintf("https://h%d.example/%d?a=1&b=<%d>", r.IntN(5), n, n),
		Feeds:   []string{"production", "development"}[:r.IntN(3)],
		Publish: []feed.PublishMode{feed.PublishManual, feed.PublishAuto}[r.IntN(2)],
		Paused:  r.IntN(2) == 0, Interval: time.Duration(r.IntN(5)) * 90 * time.Second,
		Request: feed.Request{
			Timeout: time.Duration(r.IntN(3)) * time.Second, MinInterval: time.Duration(r.IntN(3)) * time.Hour,
			Proxy: []string{"", "direct", "http://proxy.example:3128", "socks5://127.0.0.1:1080"}[r.IntN(4)],
		},
		About: feed.About{Title: text(3)}, IgnoreUpdates: r.IntN(2) == 0,
		Timestamp: []feed.TimestampRule{"", feed.TimestampUpdated}[r.IntN(2)], Keep: feed.Keep{Entries: r.IntN(3), For: feed.Duration(time.Duration(r.IntN(2)) * time.Hour)},
	}
	s.URL, _ = feed.CanonicalURL(s.URL)
	s.ID = feed.SourceID(s.URL)
	s.Filters = feed.Filters{Keep: filters[:len(filters)/2], Block: filters[len(filters)/2:]}
	var categories []string
	for range r.IntN(4) {
		categories = append(categories, text(2)+"/"+text(1))
	}
	s.Categories = feed.CleanCategories(categories)
	if r.IntN(2) == 0 {
		s.About.Link = "https://h.example/?q=" + words[r.IntN(2)] + "&x"
	}
	return s
}

// rewritten are the sources of an OPML document that was written from sources, by URL.
func rewritten(t *testing.T, sources []feed.Source) map[string]feed.Source {
	t.Helper()
	var b bytes.Buffer
	if err := opml.Write(&b, sources, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	all, err := opml.Read(b.Bytes(), "text/x-opml; charset=utf-8")
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	got := make(map[string]feed.Source, len(all))
	for _, l := range all {
		if l.Problem != "" {
			t.Errorf("%s: %s", l.Source.URL, l.Problem)
		}
		got[l.Source.URL] = l.Source
	}
	if len(got) != len(sources) {
		t.Errorf("%d sources became %d", len(sources), len(got))
	}
	return got
}

func TestOPMLLosesNothingOfASource(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		sources := make([]feed.Source, r.IntN(20))
		for i := range sources {
			sources[i] = source(r, i)
		}
		got := rewritten(t, sources)
		for _, want := range sources {
			want.Request.Proxy = "" // an import sets none
			if diff := cmp.Diff(want, got[want.URL], cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
			}
		}
	}
}

// Each field of a source is a setting that travels, a secret that must not, or none of a person's. A new one has to be
// put into one of the lists, and where it travels into WriteOPML and ReadOPML.
func TestOPMLHoldsEachSettingAndNoSecret(t *testing.T) {
	notSettings := "Added Poll Push Polls Pace Revision Rules Republished"
	secrets := "Headers Username Password Proxy SecretsFor Cleared"
	full := feed.Source{
		ID: feed.SourceID("https://a.example/"), URL: "https://a.example/", Feeds: []string{"production"}, Publish: feed.PublishAuto,
		Interval: time.Hour, Paused: true, Label: "Chosen", About: feed.About{Title: "A", Link: "https://a.example/home"}, Categories: []string{"News"},
		Filters: feed.Filters{Keep: []feed.Filter{{Field: "any", Match: "x"}}}, IgnoreUpdates: true,
		Timestamp: feed.TimestampUpdated, Keep: feed.Keep{Entries: 7, For: feed.Duration(time.Hour)},
		Request: feed.Request{
			Timeout: time.Minute, MinInterval: 2 * time.Hour, Proxy: "http://ann:s3cret@proxy.example:3128",
			Headers: map[string]string{"X-Key": "s3cret"}, Username: "s3cret-ann", Password: "s3cret",
		},
	}
	var b bytes.Buffer
	if err := opml.Write(&b, []feed.Source{full}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "s3cret") || strings.Contains(b.String(), "ann") || strings.Contains(b.String(), "X-Key") {
		t.Errorf("a secret is in\n%s", b.String())
	}
	if !strings.Contains(b.String(), `feedwire:proxy="http://proxy.example:3128"`) {
		t.Errorf("the proxy is not in\n%s", b.String())
	}
	want := full
	got := rewritten(t, []feed.Source{full})[full.URL]
	check := func(want, got reflect.Value) {
		for i := range want.NumField() {
			name := want.Type().Field(i).Name
			switch was, is := want.Field(i), got.Field(i); {
			case name == "Request": // field by field
			case strings.Contains(notSettings, name), strings.Contains(secrets, name):
				if !is.IsZero() {
					t.Errorf("%s has come through as %v", name, is)
				}
			case was.IsZero():
				t.Errorf("%s is in none of the lists, and not in the source of this test", name)
			default:
				if diff := cmp.Diff(was.Interface(), is.Interface()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
	}
	check(reflect.ValueOf(want), reflect.ValueOf(got))
	check(reflect.ValueOf(want.Request), reflect.ValueOf(got.Request))
}

func TestOPMLTellsNoFeedsFromNotSaid(t *testing.T) {
	none := feed.Source{URL: "https://a.example/", Feeds: []string{}}
	if got := rewritten(t, []feed.Source{none})[none.URL].Feeds; got == nil || len(got) != 0 {
		t.Errorf("no feeds became %#v", got)
	}
	got := readOPML(t, `<opml><body><outline xmlUrl="https://a.example/"/></body></opml>`)
	if got[0].Source.Feeds != nil {
		t.Errorf("nothing said became %#v", got[0].Source.Feeds)
	}
}

func TestWriteOPMLPutsFoldersAround(t *testing.T) {
	var b bytes.Buffer
	err := opml.Write(&b, []feed.Source{
		{URL: "https://a.example/", Categories: []string{"News/Tech"}, About: feed.About{Title: "A"}},
		{URL: "https://b.example/"},
		{URL: "https://c.example/", Categories: []string{"News", "Other"}},
	}, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		`<outline text="News"> <outline text="Tech"> <outline text="A" title="A" type="rss" xmlUrl="https://a.example/" category="News/Tech" feedwire:feeds="">`,
		`<outline text="https://b.example/" type="rss" xmlUrl="https://b.example/" feedwire:feeds="">`,
		`category="News,Other"`, `xmlns:feedwire="https://github.com/feedwire/feedwire/ns/opml"`,
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

func FuzzOPML(f *testing.F) {
	f.Add([]byte(`<opml><body><outline text="News"><outline title="A" xmlUrl="https://a.example/?x&y" category="b,/c/d"/></outline></body></opml>`))
	f.Add([]byte(`<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body><outline xmlUrl="http://a/" f:feeds="a,b" f:paused="1" f:interval="90s" f:filters='{"keep":[{"field":"any","match":"x"}]}'/></body></opml>`))
	f.Add([]byte(`<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body><outline xmlUrl="http://a/" f:proxy="http://a:b@c:1" f:timeout="1s" f:minInterval="2h"/></body></opml>`))
	f.Add([]byte("\xfe\xff\x00<\x00O\x00P\x00M\x00L\x00>"))
	f.Add([]byte(`<OPML><outline title="a/b,c"><outline type=rss url='http://[::1]:80/'/></outline><outline xmlUrl="ftp://u:p@x/"/><outline xmlUrl="http://a/#b" category=",/,"/></opml>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		all, err := opml.Read(body, "")
		if err != nil {
			if _, ok := errors.AsType[*feed.PollError](err); !ok {
				t.Errorf("got %v, want a *feed.PollError", err)
			}
			return
		}
		var sources []feed.Source
		for _, l := range all {
			if l.Problem == "" {
				sources = append(sources, l.Source)
			}
		}
		got := rewritten(t, sources)
		for _, want := range sources {
			if want.Request.Proxy != "" {
				t.Errorf("%s has the proxy %q", want.URL, want.Request.Proxy)
			}
			if diff := cmp.Diff(want, got[want.URL], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

func TestOPMLNamesALocalSourceByItsRepublishedFeed(t *testing.T) {
	const republished = "https://wire.example/sources/15ae8ba56aca/feed.rss"
	want := feed.Source{ID: feed.SourceID(feed.LocalURL("notes")), URL: feed.LocalURL("notes"), About: feed.About{Title: "Notes"}, Publish: feed.PublishAuto}
	for _, urls := range [][]string{{republished}, nil} {
		exported := want
		exported.Republished = urls
		var b bytes.Buffer
		if err := opml.Write(&b, []feed.Source{exported}, time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), `xmlUrl="`+republished+`"`); got != (urls != nil) || strings.Contains(b.String(), `xmlUrl="feedwire:`) {
			t.Errorf("other programs read\n%s", b.String())
		}
		all := readOPML(t, b.String())
		if len(all) != 1 || all[0].Problem != "" {
			t.Fatalf("read %+v", all)
		}
		if diff := cmp.Diff(want, all[0].Source, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, name := range []string{"feedwire:local/No", "notes", "file:///etc/passwd"} {
		all := readOPML(t, `<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body><outline xmlUrl="https://a.example/" f:local="`+name+`"/></body></opml>`)
		if len(all) != 1 || (all[0].Problem == "") != (all[0].Source.URL == "https://a.example/") {
			t.Errorf("%s: read %+v", name, all)
		}
	}
}

// An editor may upload lists as fast as they are read.
func TestListTakesItsMemoryOnce(t *testing.T) {
	const feeds = 10_000
	var list strings.Builder
	list.WriteString("<opml><body>")
	for i := range feeds {
		fmt.Fprintf(&list, `<outline xmlUrl="http://blog%d.example/"/>`, i)
	}
	list.WriteString("</body></opml>")
	body := []byte(list.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, err := opml.Read(body, "")
	runtime.ReadMemStats(&after)
	if err != nil || len(all) != feeds {
		t.Fatal(len(all), err)
	}
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(3*feeds*unsafe.Sizeof(all[0])); took > most {
		t.Errorf("reading took %d bytes, want at most %d", took, most)
	}
}
