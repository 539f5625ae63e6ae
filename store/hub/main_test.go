package hub_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/hub"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const harbour = storetest.Harbour

// stores are those of the package.
type stores struct {
	*hub.Store
	*topicStore
}

type topicStore = hub.Topics // an embedded field Topics would hide the method

func newStores(db *core.DB) stores {
	s, topics := hub.New(db)
	return stores{s, topics}
}

// each runs a test on each engine and in each layout.
func each(t *testing.T, test func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(t, newStores(storetest.DB(t, opts)), now, raw)
	})
}

// secret is not valid UTF-8.
const secret = "s\x00\xff\"é"

// request adds a request of a subscriber and claims it.
func request(t *testing.T, s stores, mode feed.HubMode, topic, callback string) feed.HubRequest {
	t.Helper()
	r := feed.HubRequest{Mode: mode, Topic: topic, Callback: callback, Secret: secret, Lease: time.Hour}
	if err := s.AddHubRequest(t.Context(), r, 3); err != nil {
		t.Fatal(err)
	}
	all, _, err := s.ClaimHubRequests(t.Context(), 10, time.Minute)
	if err != nil || len(all) != 1 {
		t.Fatalf("claimed %v, %v", all, err)
	}
	return all[0]
}

// subscribed subscribes a callback to the harbour, and returns the id of the subscription.
func subscribed(t *testing.T, s stores, now *storetest.Clock, callback string) string {
	t.Helper()
	if err := s.GrantHubRequest(t.Context(), request(t, s, feed.HubSubscribe, harbour, callback), now.Now()); err != nil {
		t.Fatal(err)
	}
	return feed.SubscriptionID(harbour, callback)
}

// distribute creates a version of the harbour and queues it for all subscriptions.
func distribute(t *testing.T, s stores, from, to string, whole bool) {
	t.Helper()
	d := feed.Distribution{Topic: harbour, ContentType: "application/rss+xml", Body: []byte("body of " + to), Whole: whole, Entries: 1}
	if err := s.Distribute(t.Context(), feed.HubStep{From: from, To: to}, []feed.Distribution{d}); err != nil {
		t.Fatal(err)
	}
	plan(t, s)
}

func plan(t *testing.T, s stores) {
	t.Helper()
	for more := true; more; {
		var err error
		if _, more, err = s.PlanDeliveries(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
	}
}

// everything claims all due deliveries.
func everything() feed.DeliveryClaim {
	return feed.DeliveryClaim{Limit: 1000, PerHost: 1000, Lease: 30 * time.Second}
}

func deliveries(t *testing.T, s stores, w feed.DeliveryClaim) []feed.Delivery {
	t.Helper()
	all, _, _, err := s.ClaimDeliveries(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func finish(t *testing.T, s stores, all ...feed.DeliveryResult) (lost int) {
	t.Helper()
	lost, _, err := s.FinishDeliveries(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

func callbackOf(n int) string { return fmt.Sprintf("http://reader%d.example/cb/%d", n%3, n) }
