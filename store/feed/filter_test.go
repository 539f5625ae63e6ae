package feed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func filters(t *testing.T, keep, block []string) feed.Filters {
	t.Helper()
	parse := func(texts []string) (all []feed.Filter) {
		for _, s := range texts {
			f, err := feed.ParseFilter(s)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		return all
	}
	return feed.Filters{Keep: parse(keep), Block: parse(block)}
}

func TestFiltersDecideByField(t *testing.T) {
	e := feed.Entry{
		Title: "Ferry line opens", Content: "<p>The second pier</p>", Summary: "in short", Link: "https://site.example/news/1",
		Authors: []string{"Ann Example", "Bo"}, Extra: map[string]string{"categories": `[{"term":"Harbour"},{"term":"t7","label":"Travel"}]`},
	}
	for _, tt := range []struct {
		name        string
		keep, block []string
		want        bool
		reason      string
	}{
		{name: "none", want: true},
		{name: "kept by title", keep: []string{"title=(?i)FERRY"}, want: true},
		{name: "kept by the second of two", keep: []string{"title=storm", "author=^Bo$"}, want: true},
		{name: "not kept", keep: []string{"title=storm"}, reason: "no keep filter matches"},
		{name: "a title filter does not look at the content", keep: []string{"title=pier"}, reason: "no keep filter matches"},
		{name: "kept by content", keep: []string{"content=second pier"}, want: true},
		{name: "kept by summary", keep: []string{"content=in short"}, want: true},
		{name: "kept by category", keep: []string{"category=^Travel$"}, want: true},
		{name: "kept by link", keep: []string{"link=/news/"}, want: true},
		{name: "any looks at all", keep: []string{"any=Travel"}, want: true},
		{name: "blocked", block: []string{"author=^Ann"}, reason: "blocked by author=^Ann"},
		{name: "block goes before keep", keep: []string{"any=."}, block: []string{"any=Harbour"}, reason: "blocked by any=Harbour"},
		{name: "an equals sign in the expression", keep: []string{"link=a=b"}, reason: "no keep filter matches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sieve, err := filters(t, tt.keep, tt.block).Compile()
			if err != nil {
				t.Fatal(err)
			}
			if kept, reason := sieve.Match(&e); kept != tt.want || reason != tt.reason {
				t.Errorf("got %v, %q, want %v, %q", kept, reason, tt.want, tt.reason)
			}
		})
	}
}

func TestFiltersAreBounded(t *testing.T) {
	many := make([]feed.Filter, 33)
	for i := range many {
		many[i] = feed.Filter{Field: "any", Match: "a"}
	}
	for _, tt := range []struct {
		name string
		f    feed.Filters
		want string
	}{
		{"too many", feed.Filters{Block: many}, "at most 32"},
		{"field", feed.Filters{Keep: []feed.Filter{{Field: "titel", Match: "a"}}}, "title, content, link"},
		{"empty", feed.Filters{Keep: []feed.Filter{{Field: "any"}}}, "empty"},
		{"long", feed.Filters{Keep: []feed.Filter{{Field: "any", Match: strings.Repeat("a", 513)}}}, "at most 512"},
		{"syntax", feed.Filters{Block: []feed.Filter{{Field: "any", Match: "(a"}}}, "missing closing )"},
		{"backreference", feed.Filters{Block: []feed.Filter{{Field: "any", Match: `(a)\1`}}}, "invalid escape"},
		{"repetition", feed.Filters{Block: []feed.Filter{{Field: "any", Match: "(abcdefgh){1000}"}}}, "repeats too much"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.f.Compile()
			if !errors.Is(err, feed.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrInvalid with %q", err, tt.want)
			}
		})
	}
	if _, err := feed.ParseFilter("ferry"); !errors.Is(err, feed.ErrInvalid) {
		t.Errorf("a filter without a field gave %v", err)
	}
}

func TestFiltersAreReadBackAsWritten(t *testing.T) {
	for _, f := range []feed.Filters{
		{},
		filters(t, []string{`title=<b>&"\d+"`, "any= x "}, nil),
		filters(t, nil, []string{"link=é"}),
	} {
		got, err := feed.ParseFilters(f.String())
		if err != nil || !cmp.Equal(got, f) {
			t.Errorf("%s: got %v, %v", f, got, err)
		}
	}
	if _, err := feed.ParseFilters(`{"keep":[{"fild":"a"}]}`); !errors.Is(err, feed.ErrInvalid) {
		t.Errorf("an unknown field gave %v", err)
	}
}

func TestCategoriesHaveOneSpelling(t *testing.T) {
	in := []string{" News / Tech ", "News/Tech", "", "a,b", "//", "x\x00y", strings.Repeat("1/", 20), strings.Repeat("n", 300)}
	want := []string{"News/Tech", "a b", "x y", "1/1/1/1/1/1/1/1"}
	got := feed.CleanCategories(in)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, feed.CleanCategories(got)); diff != "" {
		t.Errorf("cleaning again (-want +got):\n%s", diff)
	}
}
