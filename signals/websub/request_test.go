package websub_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

func TestRequestForm(t *testing.T) {
	t.Parallel()
	r := feed.HubRequest{
		Mode: feed.HubSubscribe, Topic: "https://me.example/f?a=b", Callback: "https://wire.example/push/x", Secret: "s", Lease: 240 * time.Hour,
	}
	const want = "hub.callback=https%3A%2F%2Fwire.example%2Fpush%2Fx&hub.lease_seconds=864000&hub.mode=subscribe&hub.secret=s" +
		"&hub.topic=https%3A%2F%2Fme.example%2Ff%3Fa%3Db&hub.verify=async"
	if got := websub.RequestForm(&r).Encode(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r = feed.HubRequest{Mode: feed.HubUnsubscribe, Topic: "t", Callback: "c"}
	if got := websub.RequestForm(&r).Encode(); got != "hub.callback=c&hub.mode=unsubscribe&hub.topic=t&hub.verify=async" {
		t.Errorf("got %s", got)
	}
}

func TestParseIntent(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]websub.Intent{
		"hub.mode=subscribe&hub.topic=t&hub.challenge=c&hub.lease_seconds=60": {
			Challenge: "c", HubRequest: feed.HubRequest{Mode: feed.HubSubscribe, Topic: "t", Lease: time.Minute},
		},
		"hub.mode=subscribe&hub.topic=t&hub.challenge=c&hub.lease_seconds=-1": {Challenge: "c", HubRequest: feed.HubRequest{Mode: feed.HubSubscribe, Topic: "t"}},
		"hub.mode=subscribe&hub.topic=t&hub.challenge=c&hub.lease_seconds=9223372036854775807": {
			Challenge: "c", HubRequest: feed.HubRequest{Mode: feed.HubSubscribe, Topic: "t", Lease: 10 * 365 * 24 * time.Hour},
		},
		"hub.mode=unsubscribe&hub.topic=t&hub.challenge=c": {Challenge: "c", HubRequest: feed.HubRequest{Mode: feed.HubUnsubscribe, Topic: "t"}},
		"hub.mode=denied&hub.topic=t&hub.reason=no":        {HubRequest: feed.HubRequest{Mode: feed.HubDenied, Topic: "t", Reason: "no"}},
	} {
		got, ok := websub.ParseIntent(parse(t, query))
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", query, ok, diff)
		}
	}
	for _, query := range []string{
		"", "hub.mode=publish&hub.topic=t&hub.challenge=c", "hub.mode=subscribe&hub.topic=t", "hub.mode=subscribe&hub.challenge=c",
		"hub.mode=denied", "hub.mode=subscribe&hub.topic=t&hub.challenge=" + strings.Repeat("c", 513),
	} {
		if got, ok := websub.ParseIntent(parse(t, query)); ok {
			t.Errorf("%.80s is read as %+v", query, got)
		}
	}
}

func parse(t *testing.T, query string) url.Values {
	t.Helper()
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func FuzzParseIntent(f *testing.F) {
	f.Add("hub.mode=subscribe&hub.topic=t&hub.challenge=c&hub.lease_seconds=60")
	f.Add("hub.mode=denied&hub.topic=t&hub.reason=%00%ff&hub.lease_seconds=-9223372036854775809")
	f.Add("hub.mode=unsubscribe;hub.topic=t&hub.challenge=%zz&hub.mode=publish")
	f.Fuzz(func(t *testing.T, query string) {
		asked, _ := url.ParseQuery(query) // as net/http reads it: what is whole
		got, ok := websub.ParseIntent(asked)
		if got.Lease < 0 || got.Lease > 10*365*24*time.Hour || got.Lease%time.Second != 0 {
			t.Errorf("%q has a lease of %v", query, got.Lease)
		}
		if !ok {
			return
		}
		confirms := got.Mode == feed.HubSubscribe || got.Mode == feed.HubUnsubscribe
		if got.Topic == "" || !confirms && got.Mode != feed.HubDenied || confirms && got.Challenge == "" || len(got.Challenge) > websub.MaxChallenge && confirms {
			t.Errorf("%q is read as %+v", query, got)
		}
	})
}
