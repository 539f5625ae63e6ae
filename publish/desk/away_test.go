package desk_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestPagesSayThatTheStoreIsUnavailable(t *testing.T) {
	b := newDesk(storetest.Unavailable(t), anyone).browser(t)
	for _, path := range []string{
		"/", "/sources", "/sources/" + feed.SourceID(storetest.Site), "/articles", "/articles/" + storetest.Post(1), "/feeds", "/feeds/production",
		"/signals", "/signals/1-1", "/subscriptions", "/dead-letters", "/imports/a",
	} {
		if html := b.Get(path, http.StatusServiceUnavailable); strings.Contains(html, "redis.internal") {
			t.Errorf("%s shows internal text", path)
		}
	}
}
