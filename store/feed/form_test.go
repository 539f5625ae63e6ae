package feed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestNewsFilterSelectsEntries(t *testing.T) {
	e := feed.Entry{
		Title: "Ferry line opens", Content: "<p>The second PIER</p>", Summary: "in short", Link: "https://site.example/news/1",
		Authors: []string{"Ann Example", "Bo"},
		Extra: map[string]string{
			"categories": `[{"term":"Harbour"},{"term":"t7","label":"Travel"}]`, "source_title": "The Gazette", "source_url": "https://gazette.example/feed",
		},
	}
	for filter, want := range map[string]bool{
		"title=FERRY":                    true,
		"title=pier":                     false,
		"content=pier":                   true,
		"content=in short":               true,
		"link=/news/":                    true,
		"any=travel":                     true,
		"any=storm":                      false,
		"source=gazette":                 true,
		"source=https://gazette.example": true,
		"author=bo":                      true,
		"author=ann":                     false,
		"category=harbour":               true,
		"category=travel":                true,
		"category=t7":                    true,
		"category=harb":                  false,
		"!category=harbour":              false,
		"!category=sport":                true,
		"!category=sport\n!author=bo":    false,
		"title=storm\nauthor=bo":         true,
		"title=ferry\n!author=bo":        false,
		"!author=bo\ntitle=ferry":        false,
		"title=storm\n!author=carl":      false,
		"title= ferry line ":             true,
		"title=(?i).*":                   false,
		"link=a=b":                       false,
	} {
		f, err := feed.ParseNewsFilter(filter)
		if err != nil {
			t.Errorf("%q: %v", filter, err)
		} else if f.Match(&e) != want {
			t.Errorf("%q: selected %v, want %v", filter, !want, want)
		}
	}
}

func TestNewsFilterIgnoresCase(t *testing.T) {
	for _, words := range [][]string{
		{"ferry", "FERRY", "Ferry"}, {"порт", "ПОРТ"}, {"οδος", "ΟΔΟΣ", "οδοσ"}, {"straße", "STRAẞE"}, {"İZMİR", "izmir"}, {"ISIK", "ısık"},
		{"\u212aelvin", "kelvin", "KELVIN"}, {"ǆep", "ǅep", "Ǆep"},
	} {
		for _, rule := range words {
			f, err := feed.ParseNewsFilter("title=" + rule)
			if err != nil {
				t.Fatal(err)
			}
			for _, title := range words {
				if !f.Match(&feed.Entry{Title: "to " + title + " today"}) {
					t.Errorf("%q does not match %q", rule, title)
				}
			}
		}
	}
}

func TestNewsFilterIsBounded(t *testing.T) {
	for filter, want := range map[string]string{
		"":                                      "write FIELD=TEXT",
		"ferry":                                 "write FIELD=TEXT",
		"titel=a":                               "FIELD is any, title",
		"title=":                                "write FIELD=TEXT",
		"title= ":                               "write FIELD=TEXT",
		"!!title=a":                             "write FIELD=TEXT",
		"title=a\n":                             "write FIELD=TEXT",
		"title=\xff":                            "write FIELD=TEXT",
		"title=" + strings.Repeat("a", 123):     "at most 128 bytes",
		strings.Repeat("any=a\n", 16) + "any=a": "at most 16 rules",
	} {
		if _, err := feed.ParseNewsFilter(filter); !errors.Is(err, feed.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", filter, err, want)
		}
	}
	if _, err := feed.ParseNewsFilter(strings.Repeat("any=a\n", 15) + "title=" + strings.Repeat("a", 122)); err != nil {
		t.Errorf("the largest filter is refused: %v", err)
	}
}

func FuzzNewsFilter(f *testing.F) {
	f.Add("category=Harbour\n!title=rope & tackle", "rope", "Harbour")
	f.Add("any=\u0130\nsource=\u017f", "\u0130", "\xff")
	f.Fuzz(func(t *testing.T, lines, title, term string) {
		filter, err := feed.ParseNewsFilter(lines)
		if err != nil {
			return
		}
		e := feed.Entry{Title: title, Content: term, Authors: []string{term}}
		if filter.Match(&e) && strings.HasPrefix(lines, "!any=") && !strings.Contains(lines, "\n") {
			if text := strings.ToLower(strings.TrimSpace(lines[5:])); strings.Contains(strings.ToLower(title), text) {
				t.Errorf("%q selects %q", lines, title)
			}
		}
	})
}
