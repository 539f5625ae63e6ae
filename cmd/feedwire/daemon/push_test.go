package daemon

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestHubsAreGivenOnlyAReachableURL(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]bool{
		"https://wire.example.org": true, "http://203.0.114.7:8080": true, "https://[2606:4700::1]/": true,
		"http://127.0.0.1:8080": false, "http://localhost:8080": false, "http://wire": false, "http://10.1.2.3": false,
		"http://[::1]:8080": false, "http://[fe80::1]": false, "http://192.168.1.2": false, "http://wire.local": false,
		"http://wire.home.arpa": false, "http://a.localhost.": false, "http://0.0.0.0:80": false,
	} {
		for push, subscribes := range map[string]bool{"auto": want, "always": true, "never": false} {
			cfg := &config.Config{PublicURL: public}
			cfg.Fetch.Push = push
			wanted := ""
			if subscribes {
				wanted = public + "/push/"
			}
			if got := setup.CallbackURL(cfg); got != wanted {
				t.Errorf("%s, %s: got %q", public, push, got)
			}
		}
	}
}

// A hub's whole walk through a running daemon: the source names it, it is asked, confirms, and pushes an entry.
func TestPushReachesTheDaemon(t *testing.T) {
	t.Parallel()
	asked := make(chan url.Values, 1)
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		asked <- r.PostForm
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(hub.Close)
	o := wiretest.NewOrigin(t)
	document := func(guid string) string {
		return fmt.Sprintf(`<rss version="2.0" xmlns:a="http://www.w3.org/2005/Atom"><channel><title>Test</title><a:link rel="hub" href="%s"/>
			<a:link rel="self" href="%s/a"/><item><guid>%s</guid><title>Post</title></item></channel></rss>`, hub.URL, o.URL, guid)
	}
	o.SetRaw("/a", []byte(document("polled")))
	d := start(t, storetest.RedisAOF(t), fmt.Sprintf("sources: [%s/a]\nfetch:\n  allow_networks: [127.0.0.0/8]\n  push: always\n", o.URL))

	var request url.Values
	select {
	case request = <-asked:
	case <-time.After(wiretest.Patience):
		t.Fatal("the hub was not asked")
	}
	callback := d.Base + "/push/" + request.Get("hub.callback")[strings.LastIndexByte(request.Get("hub.callback"), '/')+1:]
	resp, err := d.Http.Get(callback + "?" + url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {o.URL + "/a"}, "hub.challenge": {"c"}, "hub.lease_seconds": {"864000"},
	}.Encode())
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("verification: %v, %v", resp, err)
	}
	resp.Body.Close()

	body := document("pushed")
	req, _ := http.NewRequest(http.MethodPost, callback, strings.NewReader(body))
	req.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA512, request.Get("hub.secret"), []byte(body)))
	if resp, err = d.Http.Do(req); err != nil || resp.StatusCode != http.StatusAccepted {
		t.Fatalf("delivery: %v, %v", resp, err)
	}
	resp.Body.Close()
	var source feed.Source
	if err := d.Call(t.Context(), http.MethodGet, "/api/v1/sources/"+feed.SourceID(o.URL+"/a"), nil, &source); err != nil {
		t.Fatal(err)
	}
	if p := source.Push; p.State != feed.PushActive || p.Hub != hub.URL || p.Pushes != 1 || p.LastPush.IsZero() || p.LeaseEnd.IsZero() {
		t.Errorf("the API shows %+v", p)
	}
	if _, err := d.app.store.Entries.EntryByGUID(t.Context(), o.URL+"/a", "pushed"); err != nil {
		t.Error(err)
	}
}
