package hub_test

import (
	"context"
	"testing"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store/feed"
)

func TestPanicInTheCheckOfAnOpenTopicEndsThatCheckOnly(t *testing.T) {
	var panics []string
	c := hub.NewCatalog(nil, hub.CatalogOptions{
		Open:    func() hub.OpenOptions { return hub.OpenOptions{Topics: 1} },
		Fetch:   func(context.Context, *feed.OpenTopic) (feed.OpenDocument, error) { panic("a parser") },
		OnPanic: func(component string) { panics = append(panics, component) },
	})
	c.CheckOpen(t.Context(), feed.OpenTopic{URL: "https://a.example/page"})
	if len(panics) != 1 || panics[0] != "signal" {
		t.Errorf("counted panics: %q", panics)
	}
}
