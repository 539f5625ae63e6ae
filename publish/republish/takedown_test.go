package republish_test

import (
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/republish"
	"github.com/feedwire/feedwire/store/feed"
)

func TestAtomAndJSONListDeletedEntries(t *testing.T) {
	s := harbour()
	s.deleted = []feed.DeletedEntry{{GUID: "https://harbour.example/gone", Time: may.Add(48 * time.Hour)}, {GUID: "no address", Time: may}}
	w := serve(t, s, republish.Options{})
	_, atom := w.fetch(t, "atom")
	for _, want := range []string{
		`<at:deleted-entry xmlns:at="http://purl.org/atompub/tombstones/1.0" ref="https://harbour.example/gone" when="2026-05-03T12:00:00Z">`,
		`#no+address" when="2026-05-01T12:00:00Z">`, `<updated>2026-05-03T12:00:00Z</updated>`,
	} {
		if !strings.Contains(atom, want) {
			t.Errorf("it lacks %s in\n%s", want, atom)
		}
	}
	_, json := w.fetch(t, "json")
	const want = `"_feedwire":{"deleted":[{"id":"https://harbour.example/gone","date_deleted":"2026-05-03T12:00:00Z"},{"id":"no address",`
	if !strings.Contains(json, want) {
		t.Errorf("it lacks %s in\n%s", want, json)
	}
	if _, rss := w.fetch(t, "rss"); strings.Contains(rss, "gone") {
		t.Errorf("RSS has the deleted entry:\n%s", rss)
	}
}

func TestForgottenFeedIsNotServedWithoutTheStore(t *testing.T) {
	s := harbour()
	w := serve(t, s, republish.Options{})
	if _, body := w.fetch(t, "rss"); !strings.Contains(body, "A bridge") {
		t.Fatalf("it serves\n%s", body)
	}
	w.feeds.Forget()
	s.change(func() { s.down = true })
	if _, body := w.fetch(t, "rss"); strings.Contains(body, "A bridge") {
		t.Errorf("it serves\n%s", body)
	}
}
