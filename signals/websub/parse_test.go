package websub_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

const asked = "hub.mode=subscribe&hub.topic=https%3A%2F%2Fme.example%2Ff&hub.callback=https%3A%2F%2Freader.example%2Fcb%3Fk%3D1"

func TestParseRequest(t *testing.T) {
	t.Parallel()
	plain := feed.HubRequest{Mode: feed.HubSubscribe, Topic: "https://me.example/f", Callback: "https://reader.example/cb?k=1"}
	with := func(change func(*feed.HubRequest)) feed.HubRequest {
		r := plain
		change(&r)
		return r
	}
	for more, want := range map[string]feed.HubRequest{
		"":                                      plain,
		"&foo=bar&hub.foo=x":                    plain,
		"&hub.verify=sync&hub.verify_token=t+1": with(func(r *feed.HubRequest) { r.VerifyToken = "t 1" }),
		"&hub.secret=" + strings.Repeat("%C3%A9", 99) + "x": with(func(r *feed.HubRequest) {
			r.Secret = strings.Repeat("é", 99) + "x"
		}),
		"&hub.secret=%00%FF":              with(func(r *feed.HubRequest) { r.Secret = "\x00\xff" }),
		"&hub.signature_algorithm=SHA512": with(func(r *feed.HubRequest) { r.Method = websub.SHA512 }),
		"&hub.format=JSON&hub.format=xml": with(func(r *feed.HubRequest) { r.Form.JSON = true }),
		"&hub.format=fat&hub.filter=":     plain,
		"&hub.filter=category%3DSea&hub.filter=!any=rope": with(func(r *feed.HubRequest) {
			r.Form.Filter = "category=Sea\n!any=rope"
		}),
		"&hub.lease_seconds=60":                          with(func(r *feed.HubRequest) { r.Lease = time.Minute }),
		"&hub.lease_seconds=0":                           plain,
		"&hub.lease_seconds=":                            plain,
		"&hub.lease_seconds=" + strings.Repeat("9", 300): with(func(r *feed.HubRequest) { r.Lease = 87600 * time.Hour }),
		"&hub.mode=unsubscribe&hub.topic=x&hub.lease_seconds=60&hub.lease_seconds=y": with(func(r *feed.HubRequest) {
			r.Lease = time.Minute
		}),
	} {
		got, err := websub.ParseRequest(parse(t, asked+more))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%.60s: %v (-want +got):\n%s", more, err, diff)
		}
	}
	got, err := websub.ParseRequest(parse(t, "hub.mode=UnSubscribe&hub.lease_seconds=never&hub.topic=http://a/%257Eb%2541%25zz&hub.callback=http://a/%257e?%2525=%2500"))
	want := feed.HubRequest{Mode: feed.HubUnsubscribe, Topic: "http://a/~bA%zz", Callback: "http://a/~?%25=%00"}
	if err == nil { // %zz in a path is none
		t.Errorf("got %+v", got)
	}
	got, err = websub.ParseRequest(parse(t, "hub.mode=UnSubscribe&hub.lease_seconds=never&hub.topic=http://a/%257Eb%2541?%25zz&hub.callback=http://a/%257e?%2525=%2500"))
	want.Topic = "http://a/~bA?%zz"
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseRequestNamesInvalidParameter(t *testing.T) {
	t.Parallel()
	for change, name := range map[string]string{
		"hub.mode=publish": "hub.mode", "hub.mode=": "hub.mode", "hub.callback=": "hub.callback", "hub.topic=": "hub.topic",
		"hub.callback=ftp://a/": "hub.callback", "hub.callback=javascript:alert(1)": "hub.callback", "hub.callback=//a/b": "hub.callback",
		"hub.callback=http://": "hub.callback", "hub.callback=http://a/%23x": "hub.callback", "hub.callback=http://me:pw@a/": "hub.callback",
		"hub.callback=http://a/%0Ab": "hub.callback", "hub.callback=http://a/%20b": "hub.callback", "hub.callback=/cb": "hub.callback",
		"hub.callback=http://a/" + strings.Repeat("b", 2048): "hub.callback", "hub.callback=file:///etc/passwd": "hub.callback",
		"hub.callback=http://[::1": "hub.callback", "hub.topic=http://a/%23": "hub.topic", "hub.topic=gopher://a/": "hub.topic",
		"hub.secret=" + strings.Repeat("s", 200): "hub.secret", "hub.secret=" + strings.Repeat("%C3%A9", 100): "hub.secret",
		"hub.signature_algorithm=md5": "hub.signature_algorithm", "hub.signature_algorithm=none": "hub.signature_algorithm",
		"hub.lease_seconds=-1": "hub.lease_seconds", "hub.lease_seconds=1.5": "hub.lease_seconds", "hub.lease_seconds=day": "hub.lease_seconds",
		"hub.verify_token=" + strings.Repeat("t", 2049): "hub.verify_token",
	} {
		form := parse(t, asked)
		for k, v := range parse(t, change) {
			form[k] = v
		}
		_, err := websub.ParseRequest(form)
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%.60s: %v, want one that names %s", change, err, name)
		}
		if value := form.Get(name); err != nil && len(value) > 3 && strings.Contains(err.Error(), value) {
			t.Errorf("%.60s is repeated: %v", change, err)
		}
	}
}

func TestIntentIsAppendedToCallback(t *testing.T) {
	t.Parallel()
	i := websub.Intent{Challenge: "c+/=", HubRequest: feed.HubRequest{
		Mode: feed.HubSubscribe, Topic: "https://me.example/f?a=b c&d", Lease: 90 * time.Second, VerifyToken: "t",
	}}
	const more = "hub.mode=subscribe&hub.topic=https%3A%2F%2Fme.example%2Ff%3Fa%3Db%20c%26d&hub.challenge=c%2B%2F%3D&hub.lease_seconds=90" +
		"&hub.verify_token=t"
	for callback, want := range map[string]string{
		"https://r.example/cb":                             "https://r.example/cb?" + more,
		"https://r.example":                                "https://r.example?" + more,
		"https://r.example/cb?":                            "https://r.example/cb?&" + more,
		"https://r.example/cb?z=1&a=%41+;x&hub.mode=mine&": "https://r.example/cb?z=1&a=%41+;x&hub.mode=mine&&" + more,
	} {
		i.Callback = callback
		if got := i.URL(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	i = websub.Intent{HubRequest: feed.HubRequest{
		Callback: "http://r/", Mode: feed.HubDenied, Topic: "canonical", RequestedTopic: "t", Reason: "no & no", Lease: time.Minute,
	}}
	if got := i.URL(); got != "http://r/?hub.mode=denied&hub.topic=t&hub.reason=no%20%26%20no" {
		t.Errorf("got %s", got)
	}
}

func TestPublishedReadsBothParameters(t *testing.T) {
	t.Parallel()
	got := websub.Published(parse(t, "hub.mode=publish&hub.topic=c&hub.url=a&hub.url=b&hub.url=a&hub.topic=b&hub.url="))
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReadersAreBounded(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"": 0, "12": 12, " 7 ": 7, "-1": 0, "many": 0, "99999999": 10_000_000} {
		if got := websub.Readers(http.Header{"X-Hub-On-Behalf-Of": {value}}); got != want {
			t.Errorf("%q is %d readers, want %d", value, got, want)
		}
	}
}

// FuzzParseRequest looks that whatever is taken can be asked and delivered to, and that reading it again changes nothing.
func FuzzParseRequest(f *testing.F) {
	f.Add(asked)
	f.Add("hub.mode=unsubscribe&hub.topic=http://a/%257E&hub.callback=http://a?%25%25")
	f.Add("hub.mode=subscribe&hub.topic=http://a/&hub.callback=http://a/%252e%252e/%25zz?a;b")
	f.Fuzz(func(t *testing.T, body string) {
		form, _ := url.ParseQuery(body)
		r, err := websub.ParseRequest(form)
		if err != nil {
			return
		}
		i := websub.Intent{HubRequest: r, Challenge: "c"}
		to := i.URL()
		if !strings.HasPrefix(to, r.Callback) {
			t.Errorf("%q became %q", r.Callback, to)
		}
		req, err := http.NewRequest(http.MethodGet, to, nil)
		if err != nil {
			t.Fatalf("cannot be asked: %v", err)
		}
		if got := req.URL.Query()["hub.challenge"]; len(got) == 0 || got[len(got)-1] != "c" {
			if !strings.Contains(r.Callback, ";") { // net/url leaves out what holds one
				t.Errorf("the challenge is %q", got)
			}
		}
		again, err := websub.ParseRequest(websub.RequestForm(&r))
		if err != nil || again.Callback != r.Callback || again.Secret != r.Secret || again.Lease != r.Lease {
			t.Errorf("%+v is read again as %+v, %v", r, again, err)
		}
	})
}
