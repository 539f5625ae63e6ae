package hub_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// requestRows cover accepted and rejected requests (section 5.1).
func requestRows() []check {
	return []check{
		{"H01 H14 a request with three parameters is accepted", func(r *harness) {
			callback := r.reader.URL + "/cb"
			got := r.post(r.form("subscribe", callback))
			r.want(got.status == http.StatusAccepted, "got %d", got.status)
			r.verify()
			r.want(r.active(callback), "not subscribed after the verification")
		}},
		{"H01 the mode may be in any case", func(r *harness) {
			callback := r.subscribe("/cb", "hub.mode", "SubScribe")
			r.want(r.active(callback), "not subscribed")
		}},
		{"H03 secrets are shorter than 200 bytes", func(r *harness) {
			r.rejected(http.StatusBadRequest, "hub.secret", r.form("subscribe", r.reader.URL+"/cb", "hub.secret", strings.Repeat("s", 200)))
			r.rejected(http.StatusBadRequest, "hub.secret", r.form("subscribe", r.reader.URL+"/cb", "hub.secret", strings.Repeat("é", 100)))
			callback := r.subscribe("/cb", "hub.secret", strings.Repeat("s", 199))
			r.want(r.active(callback), "199 bytes are too many")
		}},
		{"H04 unknown parameters are ignored", func(r *harness) {
			callback := r.subscribe("/cb", "foo", "bar", "hub.foo", "hub.bar")
			r.want(r.active(callback), "not subscribed")
			r.want(!strings.Contains(r.reader.verifications()[0].query, "bar"), "they reach the callback: %s", r.reader.verifications()[0].query)
		}},
		{"H05 a verified renewal replaces the subscription", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.request("subscribe", callback, "hub.secret", "two")
			r.news("a")
			signedWith(r, r.awaitDeliveries("/cb", 1)[0], "one")
			r.verify()
			r.news("b")
			signedWith(r, r.awaitDeliveries("/cb", 2)[1], "two")
			r.request("subscribe", callback)
			r.verify()
			r.news("c")
			signedWith(r, r.awaitDeliveries("/cb", 3)[2], "")
		}},
		{"H05 the newer of two renewals counts, in any order of confirmation", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.reader.confirmWithStatus(http.StatusServiceUnavailable)
			r.request("subscribe", callback, "hub.secret", "two")
			r.verify()
			r.clock.Advance(time.Second)
			r.reader.confirmWith(nil)
			r.request("subscribe", callback, "hub.secret", "three")
			r.verify()
			r.clock.Advance(time.Hour)
			r.verify()
			r.news("a")
			signedWith(r, r.awaitDeliveries("/cb", 1)[0], "three")
		}},
		{"H06 a refused renewal changes nothing", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.reader.confirmWithStatus(http.StatusNotFound)
			r.request("subscribe", callback, "hub.secret", "two")
			r.verify()
			r.news("a")
			signedWith(r, r.awaitDeliveries("/cb", 1)[0], "one")
		}},
		{"H06 an unsubscribe request counts before the subscription is stored", func(r *harness) {
			callback := r.reader.URL + "/cb"
			r.request("subscribe", callback)
			r.clock.Advance(time.Second)
			r.request("unsubscribe", callback)
			r.verify()
			r.want(!r.active(callback), "the subscriber has left, and is subscribed")
			r.want(len(r.reader.verifications()) == 2, "%d GETs, want one for each request", len(r.reader.verifications()))
		}},
		{"H06 a refused unsubscribe request changes nothing", func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.confirmWithStatus(http.StatusNotFound)
			r.request("unsubscribe", callback)
			r.verify()
			r.news("a")
			r.awaitDeliveries("/cb", 1)
		}},
		{"H06 an unsubscribe request without response changes nothing", func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.confirmWithStatus(http.StatusInternalServerError)
			r.request("unsubscribe", callback)
			for range 5 {
				r.verify()
				r.clock.Advance(30 * time.Minute)
			}
			r.want(len(r.reader.verifications()) == 1+4, "%d GETs, want one and three more", len(r.reader.verifications())-1)
			r.want(r.active(callback), "it has ended")
		}},
		{"H09 only http and https URLs are accepted", func(r *harness) {
			for _, u := range []string{
				"ftp://reader.example/cb", "javascript:alert(1)", "file:///etc/passwd", "gopher://reader.example/", "junk", "//reader.example/",
				"http://", "http:///cb", "http://[::1", "mailto:a@reader.example", "http://reader.example/\ncb", " ",
			} {
				r.rejected(http.StatusBadRequest, "hub.callback", r.form("subscribe", u))
				r.rejected(http.StatusBadRequest, "hub.topic", r.form("subscribe", r.reader.URL+"/cb", "hub.topic", u))
			}
		}},
		{"H10 unknown topics are rejected", func(r *harness) {
			r.rejected(http.StatusNotFound, "hub.topic", r.form("subscribe", r.reader.URL+"/cb", "hub.topic", "http://harbour.example/other"))
		}},
		{"H11 escapes of unreserved characters are equivalent", func(r *harness) {
			r.topics.set("http://harbour.example/~me", "text/plain", "a")
			r.request("subscribe", r.reader.URL+"/cb", "hub.topic", "http://harbour.example/%7Eme")
			r.verify()
			got := r.reader.verifications()
			r.want(len(got) == 1 && got[0].last("hub.topic") == "http://harbour.example/%7Eme", "it is named otherwise: %+v", got)
			r.publish("http://harbour.example/~me", "b")
			r.awaitDeliveries("/cb", 1)
			r.publish("http://harbour.example/%7e%6De", "")
			r.topics.change("http://harbour.example/~me", "c")
			r.publish("http://harbour.example/%7e%6De", "")
			r.awaitDeliveries("/cb", 2)
		}},
		{"H15 N01 N02 N03 a missing parameter is named", func(r *harness) {
			for _, name := range []string{"hub.mode", "hub.callback", "hub.topic"} {
				r.rejected(http.StatusBadRequest, name, r.form("subscribe", r.reader.URL+"/cb", name, ""))
			}
		}},
		{"N04 other modes are rejected", func(r *harness) {
			for _, mode := range []string{"denied", "subscribed", "pause"} {
				r.rejected(http.StatusBadRequest, "hub.mode", r.form(mode, r.reader.URL+"/cb"))
			}
		}},
		{"N05 callbacks with a user name are rejected", func(r *harness) {
			r.rejected(http.StatusBadRequest, "hub.callback", r.form("subscribe", "http://me:pw@reader.example/cb"))
		}},
		{"N06 fragments are rejected", func(r *harness) {
			r.rejected(http.StatusBadRequest, "hub.callback", r.form("subscribe", r.reader.URL+"/cb#x"))
			r.rejected(http.StatusBadRequest, "hub.topic", r.form("subscribe", r.reader.URL+"/cb", "hub.topic", harbour+"#x"))
		}},
		{"N07 long callbacks are rejected", func(r *harness) {
			r.rejected(http.StatusBadRequest, "hub.callback", r.form("subscribe", r.reader.URL+"/"+strings.Repeat("c", 2048)))
		}},
		{"N08 a callback on the hub itself is rejected", func(r *harness) {
			r.rejected(http.StatusForbidden, "hub.callback", r.form("subscribe", r.served.URL+"/feed/production"))
		}},
		{"N12 leases that are not numbers are rejected", func(r *harness) {
			for _, lease := range []string{"-1", "1.5", "day", "0x10", "1e3"} {
				r.rejected(http.StatusBadRequest, "hub.lease_seconds", r.form("subscribe", r.reader.URL+"/cb", "hub.lease_seconds", lease))
			}
		}},
		{"N13 unknown signature methods are rejected", func(r *harness) {
			for _, method := range []string{"md5", "none", "sha"} {
				r.rejected(http.StatusBadRequest, "hub.signature_algorithm",
					r.form("subscribe", r.reader.URL+"/cb", "hub.signature_algorithm", method))
			}
		}},
		{"N14 an unsubscribe request without subscription is accepted and not verified", func(r *harness) {
			r.request("unsubscribe", r.reader.URL+"/cb")
			r.verify()
			r.want(len(r.reader.verifications()) == 0, "a stranger was asked")
		}},
		{"N15 the first value of a repeated parameter counts", func(r *harness) {
			got := r.post(r.form("subscribe", r.reader.URL+"/cb") + "&hub.callback=" + r.reader.URL + "/other&hub.mode=unsubscribe")
			r.want(got.status == http.StatusAccepted, "got %d", got.status)
			r.verify()
			all := r.reader.verifications()
			r.want(len(all) == 1 && all[0].path == "/cb" && all[0].last("hub.mode") == "subscribe", "got %+v", all)
		}},
		{"N16 a stranger cannot change a webhook", func(r *harness) {
			hook := feed.Subscription{Topic: harbour, Callback: r.reader.URL + "/cb", Kind: feed.KindWebhook}
			r.must(r.store.Subscribe(r.tb.Context(), &hook))
			r.rejected(http.StatusForbidden, "hub.callback", r.form("unsubscribe", hook.Callback))
			r.rejected(http.StatusForbidden, "hub.callback", r.form("subscribe", hook.Callback))
		}},
	}
}
