package topics_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPanicInTheCheckOfAnOpenTopicEndsThatCheckOnly(t *testing.T) {
	var panics []string
	c := topics.New(nil, topics.Options{
		Open:    func() topics.OpenOptions { return topics.OpenOptions{Topics: 1} },
		Fetch:   func(context.Context, *feed.OpenTopic) (feed.OpenDocument, error) { panic("a parser") },
		OnPanic: func(component string) { panics = append(panics, component) },
	})
	c.CheckOpen(t.Context(), feed.OpenTopic{URL: "https://a.example/page"})
	if len(panics) != 1 || panics[0] != "signal" {
		t.Errorf("counted panics: %q", panics)
	}
}
