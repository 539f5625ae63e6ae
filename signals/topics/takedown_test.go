package topics_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/topics"
	"github.com/feedwire/feedwire/store/feed"
)

// afterTakedown has a source with 120 entries and one that was taken down.
type afterTakedown struct{ takedownStore }

const gone = "tag:harbour.example,2026:gone"

func (afterTakedown) Deleted(context.Context, string) ([]feed.DeletedEntry, error) {
	return []feed.DeletedEntry{{GUID: gone, Time: time.Unix(1, 0)}}, nil
}

func (afterTakedown) EntriesBetween(_ context.Context, _, before, _ string, limit int) (all []feed.Entry, err error) {
	for n := range 120 {
		all = append(all, *post(strconv.Itoa(n)))
	}
	if before != "" {
		all = all[1+slices.IndexFunc(all, func(e feed.Entry) bool { return e.GUID == before }):]
	}
	return all[:min(limit, len(all))], nil
}

func TestUnchangedDocumentIsReplacedAfterATakedown(t *testing.T) {
	source := feed.Source{URL: harbour, About: feed.About{Title: "Harbour"}, Poll: feed.PollState{Format: "Atom 1.0"}}
	c := topics.New(afterTakedown{takedownStore{catalogStore{source: source}}}, topics.Options{Outgoing: noFeeds{}, Republished: noFeeds{}})
	deleted := signal(feed.PostDeleted, nil)
	deleted.GUID, deleted.Entry = gone, "Entry:200"
	made, err := c.Outlets(true)[0].Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: []feed.Signal{deleted}})
	if err != nil || len(made) != 1 || !made[0].Whole || len(made[0].Posts) != 0 {
		t.Fatalf("made %+v, %v", made, err)
	}
	body := string(made[0].Body)
	if n := strings.Count(body, "<entry>"); n != 120 || !strings.Contains(body, `ref="`+gone+`"`) {
		t.Errorf("it has %d entries:\n%s", n, body)
	}
}

func TestNewsNamesItsEntriesAndLosesThemOneByOne(t *testing.T) {
	for _, format := range []string{"RSS 2.0", "Atom 1.0", "JSON Feed 1.1"} {
		outlet := catalog(format).Outlets(false)[0]
		made, err := outlet.Make(t.Context(), harbour, delivery.News{FeedURL: harbour, Signals: []feed.Signal{
			signal(feed.PostCreated, post("1")), signal(feed.PostCreated, post("2")),
		}})
		if err != nil || len(made) != 1 || !slices.Equal(made[0].Posts, []string{"Entry:1", "Entry:2"}) {
			t.Fatalf("%s: made %+v, %v", format, made, err)
		}
		deleted := signal(feed.PostDeleted, post("1"))
		body, err := outlet.Redact(made[0].Body, &deleted)
		if err != nil || strings.Contains(string(body), "Ship 1") || !strings.Contains(string(body), "Ship 2") {
			t.Errorf("%s: %v in\n%s", format, err, body)
		}
	}
}
