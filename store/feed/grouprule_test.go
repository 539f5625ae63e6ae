package feed_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestRulesSelectEntries(t *testing.T) {
	e := feed.Entry{
		FeedURL: "https://harbour.example/feed", Title: "Ferry  to Ärö, U-Boot #7; 今日の東京タワー", Authors: []string{"Ann Lee", "Bo"},
		Extra: map[string]string{feed.FieldCategories: `[{"term": "sport"}, {"term": "x1", "label": "High  Seas"}]`},
	}
	for rule, want := range map[string]bool{
		"category:sport": true, "category: SPORT": true, "category:high seas": true, "category:x1": true, "category:spor": false,
		"source:https://harbour.example/feed": true, "source:https://harbour.example/": false,
		"author:ann lee": true, "author:bo": true, "author:ann": false, "author:Ann Lee, Bo": false,
		"title:ferry": true, "title:FERRY TO": true, "title:ärö": true, "title:err": false, "title:ferr": false, "title:boot": true, "title:#7": true,
		"title:東京": true, "title:ferry ärö": false, "title:7": true,
	} {
		parsed, err := feed.ParseGroupRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Matches(&e); got != want {
			t.Errorf("%s: %t", rule, got)
		}
	}
}

func TestRulesAreParsed(t *testing.T) {
	for _, wrong := range []string{"", "sport", "tag:sport", "category:", "category:  ", ":sport", "category:" + strings.Repeat("x", 2049)} {
		if _, err := feed.ParseGroupRule(wrong); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("%.20q: %v", wrong, err)
		}
	}
	rule, err := feed.ParseGroupRule("source:https://harbour.example/a:b")
	if err != nil || rule.Value != "https://harbour.example/a:b" || rule.String() != "source:https://harbour.example/a:b" {
		t.Errorf("%+v, %v", rule, err)
	}
}

func TestRuledGroupsOfAnEntry(t *testing.T) {
	rules := feed.RuledGroups{
		{"sport", []feed.GroupRule{{"category", "sport"}, {"title", "match"}}}, {"sea", []feed.GroupRule{{"title", "ferry"}}}, {"other", nil},
	}
	for title, want := range map[string][]string{"The match": {"sport"}, "Ferry match": {"sport", "sea"}, "News": nil} {
		if got := rules.Of(&feed.Entry{Title: title}); !slices.Equal(got, want) {
			t.Errorf("%s is in %v", title, got)
		}
	}
	digests := []string{rules.Digest(), rules[:2].Digest(), feed.RuledGroups(nil).Digest()}
	if slices.Sort(digests); len(slices.Compact(digests)) != 3 || rules.Digest() != slices.Clone(rules).Digest() {
		t.Errorf("the digests are %v", digests)
	}
}
