package feed_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestParseSearch(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string]feed.Search{
		"":                          {},
		"  - \" * : ":               {},
		"Hafen":                     {Terms: []feed.SearchTerm{{Text: "Hafen"}}},
		`harb* -"old crane" title:`: {Terms: []feed.SearchTerm{{Text: "harb", Prefix: true}, {Text: "old crane", Phrase: true, Not: true}, {Text: "title:"}}},
		`title:"new quay" author:eva -category:sport`: {Terms: []feed.SearchTerm{
			{Field: "title", Text: "new quay", Phrase: true}, {Field: "author", Text: "eva"}, {Field: "category", Text: "sport", Not: true},
		}},
		"after:2026-11-01 before:2026-11-28 x": {Terms: []feed.SearchTerm{{Text: "x"}}, From: day(1), Until: day(28)},
		`say "to the end`:                      {Terms: []feed.SearchTerm{{Text: "say"}, {Text: "to the end", Phrase: true}}},
		"https://a.example/b c++":              {Terms: []feed.SearchTerm{{Field: "link", Text: "https://a.example/b"}, {Text: "c++"}}},
	} {
		got, err := feed.ParseSearch(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{strings.Repeat("ä", 401), strings.Repeat("a ", 21), "after:yesterday", "-before:2026-11-28", "\xff"} {
		if _, err := feed.ParseSearch(text); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("%.20q: got %v, want an ErrInvalid", text, err)
		}
	}
}

func FuzzParseSearch(f *testing.F) {
	f.Add(`-title:"a b" harb* after:2026-11-01 "`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := feed.ParseSearch(text)
		if err == nil && len(s.Terms) > feed.MaxSearchTerms {
			t.Errorf("%q has %d terms", text, len(s.Terms))
		}
		for _, term := range s.Terms {
			if strings.TrimSpace(term.Text) == "" {
				t.Errorf("%q has an empty term", text)
			}
		}
	})
}
