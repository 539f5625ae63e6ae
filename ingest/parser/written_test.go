package parser_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

func TestWrittenEntryIsStoredAsOneOfADocument(t *testing.T) {
	got, err := parser.Written(feed.Entry{
		FeedURL: feed.LocalURL("notes"), GUID: "1", Title: " High \n water ", Link: "https://a.example/1",
		Content: "<p>See <a href=\"/map\">the map</a>\x00</p>\n", Summary: "<p>See</p>", Authors: []string{"Ann"},
		Extra: map[string]string{
			"language": "de", "colour": "red", "categories": `[{"term":"Ships"}]`,
			"enclosures":     `[{"url":"https://a.example/1.mp3","type":"audio/mpeg","length":5,"duration":60}]`,
			"author_details": `[{"name":"Ann","email":"ann@a.example"}]`, "persons": `[{"role":"guest","name":"Bo"}]`, "explicit": "no",
			"media": `[{"url":"https://a.example/1.jpg","rel":"thumbnail"}]`, "chapters": `[{"start":1.5,"title":"A"}]`,
			"transcripts": `[{"url":"https://a.example/1.vtt"}]`, "contributors": `[{"name":"Cy"}]`,
		},
	}, received)
	want := feed.Entry{
		FeedURL: feed.LocalURL("notes"), GUID: "1", Title: "High water", Link: "https://a.example/1", Timestamp: received, Published: received,
		Content: `<p>See <a href="https://a.example/map">the map</a></p>`, Summary: "<p>See</p>", Authors: []string{"Ann"},
		Extra: map[string]string{
			"language": "de", "colour": "red", "categories": `[{"term":"Ships"}]`,
			"enclosures":     `[{"url":"https://a.example/1.mp3","type":"audio/mpeg","length":"5","duration":60}]`,
			"author_details": `[{"name":"Ann","email":"ann@a.example"}]`, "persons": `[{"name":"Bo","role":"guest"}]`, "explicit": "false",
			"media": `[{"url":"https://a.example/1.jpg","rel":"thumbnail"}]`, "chapters": `[{"start":1.5,"title":"A"}]`,
			"transcripts": `[{"url":"https://a.example/1.vtt"}]`, "contributors": `[{"name":"Cy"}]`, "image": "https://a.example/1.jpg",
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	again, err := parser.Written(got, received.Add(time.Hour))
	if diff := cmp.Diff(got, again); err != nil || diff != "" {
		t.Errorf("written again, %v (-first +second):\n%s", err, diff)
	}
}

func TestWrittenEntryWithInvalidFieldsNamesAllOfThem(t *testing.T) {
	valid := feed.Entry{GUID: "1", Title: "T"}
	for field, spoil := range map[string]func(*feed.Entry){
		"guid":              func(e *feed.Entry) { e.GUID = "" },
		"guid ":             func(e *feed.Entry) { e.GUID = "a\r\nb" },
		"guid  ":            func(e *feed.Entry) { e.GUID = strings.Repeat("x", 2049) },
		"title":             func(e *feed.Entry) { e.Title = "" },
		"title ":            func(e *feed.Entry) { e.Title = strings.Repeat("x", 8<<10+1) },
		"content":           func(e *feed.Entry) { e.Content = strings.Repeat("x", 2<<20+1) },
		"link":              func(e *feed.Entry) { e.Link = "javascript:alert(1)" },
		"link ":             func(e *feed.Entry) { e.Link = "/relative" },
		"authors":           func(e *feed.Entry) { e.Authors = []string{"Ann", "Ann"} },
		"date_published":    func(e *feed.Entry) { e.Published = received.Add(48 * time.Hour) },
		"date_updated":      func(e *feed.Entry) { e.Updated = time.Unix(1, 0) },
		"language":          func(e *feed.Entry) { e.Extra = map[string]string{"language": strings.Repeat("x", 1025)} },
		"categories":        func(e *feed.Entry) { e.Extra = map[string]string{"categories": `"a"`} },
		"categories[1]":     func(e *feed.Entry) { e.Extra = map[string]string{"categories": `[{"term":"a"},{}]`} },
		"enclosures":        func(e *feed.Entry) { e.Extra = map[string]string{"enclosures": `{}`} },
		"enclosures[0].url": func(e *feed.Entry) { e.Extra = map[string]string{"enclosures": `[{"url":"ftp://a.example/"}]`} },
		"duration":          func(e *feed.Entry) { e.Extra = map[string]string{"duration": "long"} },
		"geo_point":         func(e *feed.Entry) { e.Extra = map[string]string{"geo_point": "91 0"} },
		"persons":           func(e *feed.Entry) { e.Extra = map[string]string{"persons": `[{"name":"Ann"},{"name":""}]`} },
		"media.width": func(e *feed.Entry) {
			e.Extra = map[string]string{"media": `[{"url":"https://a.example/1","width":"wide"}]`}
		},
		"author_details[0].name": func(e *feed.Entry) {
			e.Authors, e.Extra = []string{"Ann"}, map[string]string{"author_details": `[{"name":"Bob"}]`}
		},
		"author_details[0].email": func(e *feed.Entry) {
			e.Authors, e.Extra = []string{"Ann"}, map[string]string{"author_details": `[{"name":"Ann","email":"nope"}]`}
		},
		"enclosures[0].foo, enclosures[0].length": func(e *feed.Entry) {
			e.Extra = map[string]string{"enclosures": `[{"url":"https://a.example/1.mp3","length":-5,"foo":1}]`}
		},
		"enclosures.duration": func(e *feed.Entry) {
			e.Extra = map[string]string{"enclosures": `[{"url":"https://a.example/1.mp3","duration":1.9}]`}
		},
		"enclosures[0].language": func(e *feed.Entry) {
			e.Extra = map[string]string{"enclosures": `[{"url":"https://a.example/1.mp3","language":"x y"}]`}
		},
		"enclosures[0].credits[1].name": func(e *feed.Entry) {
			e.Extra = map[string]string{"enclosures": `[{"url":"https://a.example/1.mp3","credits":[{"name":"Ann"},{"name":"Ann"}]}]`}
		},
		"categories[0].colour": func(e *feed.Entry) { e.Extra = map[string]string{"categories": `[{"term":"a","colour":"red"}]`} },
		"chapters ":            func(e *feed.Entry) { e.Extra = map[string]string{"chapters": `[{"start":-1,"title":"A"}]`} },
		"duration ":            func(e *feed.Entry) { e.Extra = map[string]string{"duration": "1.9"} },
		"extra.title":          func(e *feed.Entry) { e.Extra = map[string]string{"title": "x"} },
		"extra": func(e *feed.Entry) {
			e.Extra = make(map[string]string)
			for i := range 51 {
				e.Extra[fmt.Sprintf("own_%d", i)] = "x"
			}
		},
		"media[0].url":         func(e *feed.Entry) { e.Extra = map[string]string{"media": `[{"url":"javascript:x","rel":"player"}]`} },
		"chapters":             func(e *feed.Entry) { e.Extra = map[string]string{"chapters": `[{"start":1}]`} },
		"transcripts":          func(e *feed.Entry) { e.Extra = map[string]string{"transcripts": `[{"type":"text/vtt"}]`} },
		"extra.digest":         func(e *feed.Entry) { e.Extra = map[string]string{"digest": "x"} },
		"extra.Colour":         func(e *feed.Entry) { e.Extra = map[string]string{"Colour": "x"} },
		"extra.colour":         func(e *feed.Entry) { e.Extra = map[string]string{"colour": "x\x00"} },
		"date_published, guid": func(e *feed.Entry) { e.Published, e.GUID = received.Add(48*time.Hour), "" },
	} {
		e := valid
		spoil(&e)
		_, err := parser.Written(e, received)
		problems, _ := errors.AsType[feed.FieldErrors](err)
		var names []string
		for _, p := range problems {
			names = append(names, p.Field)
		}
		if got := strings.Join(names, ", "); got != strings.TrimSpace(field) {
			t.Errorf("got errors of %q, want %q: %v", got, field, err)
		}
	}
	if _, err := parser.Written(valid, received); err != nil {
		t.Errorf("a valid entry: %v", err)
	}
}

func TestTextsThatLookLikeHTMLAreWrittenUnchanged(t *testing.T) {
	const text = "A <b>bold</b> & &amp; name"
	want := feed.Entry{GUID: "1", Title: text, Authors: []string{text}, Extra: map[string]string{
		"rights": text, "categories": feed.EncodeList([]feed.Category{{Term: text, Label: "<b>"}}),
		"persons": feed.EncodeList([]feed.Person{{Name: text}}), "chapters": feed.EncodeList([]feed.Chapter{{Start: 1, Title: text}}),
	}}
	got, err := parser.Written(want, received)
	if err != nil {
		t.Fatal(err)
	}
	want.Timestamp, want.Published = received, received
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
