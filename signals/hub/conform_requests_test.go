package hub_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// requestRows are about what a hub takes and refuses (section 5.1).
func requestRows() []check {
	return []check{
		{"H01 H14 a request of three parameters is accepted", func(r *rig) {
			callback := r.reader.URL + "/cb"
			got := r.post(r.form("subscribe", callback))
			r.want(got.status == http.StatusAccepted, "answered %d", got.status)
			r.verify()
			r.want(r.active(callback), "not subscribed after the verification")
		}},
		{"H01 the mode may be in any case", func(r *rig) {
			callback := r.subscribe("/cb", "hub.mode", "SubScribe")
			r.want(r.active(callback), "not subscribed")
		}},
		{"H03 secrets are shorter than 200 bytes", func(r *rig) {
			r.refused(http.StatusBadRequest, "hub.secret", r.form("subscribe", r.reader.URL+"/cb", "hub.secret", strings.Repeat("s", 200)))
			r.refused(http.StatusBadRequest, "hub.secret", r.form("subscribe", r.reader.URL+"/cb", "hub.secret", strings.Repeat("é", 100)))
			callback := r.subscribe("/cb", "hub.secret", strings.Repeat("s", 199))
			r.want(r.active(callback), "199 bytes are too many")
		}},
		{"H04 parameters that are not known do not matter", func(r *rig) {
			callback := r.subscribe("/cb", "foo", "bar", "hub.foo", "hub.bar")
			r.want(r.active(callback), "not subscribed")
			r.want(!strings.Contains(r.reader.asked()[0].query, "bar"), "they reach the callback: %s", r.reader.asked()[0].query)
		}},
		{"H05 a renewal takes the place of what was, once it is verified", func(r *rig) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.ask("subscribe", callback, "hub.secret", "two")
			r.news("a")
			signedWith(r, r.gets("/cb", 1)[0], "one")
			r.verify()
			r.news("b")
			signedWith(r, r.gets("/cb", 2)[1], "two")
			r.ask("subscribe", callback)
			r.verify()
			r.news("c")
			signedWith(r, r.gets("/cb", 3)[2], "")
		}},
		{"H05 of two renewals the newer one holds, whichever is confirmed first", func(r *rig) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.reader.answers(http.StatusServiceUnavailable)
			r.ask("subscribe", callback, "hub.secret", "two")
			r.verify()
			r.clock.Advance(time.Second)
			r.reader.confirms(nil)
			r.ask("subscribe", callback, "hub.secret", "three")
			r.verify()
			r.clock.Advance(time.Hour)
			r.verify()
			r.news("a")
			signedWith(r, r.gets("/cb", 1)[0], "three")
		}},
		{"H06 a renewal that is refused changes nothing", func(r *rig) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.reader.answers(http.StatusNotFound)
			r.ask("subscribe", callback, "hub.secret", "two")
			r.verify()
			r.news("a")
			signedWith(r, r.gets("/cb", 1)[0], "one")
		}},
		{"H06 leaving holds while the subscription is not written down yet", func(r *rig) {
			callback := r.reader.URL + "/cb"
			r.ask("subscribe", callback)
			r.clock.Advance(time.Second)
			r.ask("unsubscribe", callback)
			r.verify()
			r.want(!r.active(callback), "the subscriber has left, and is subscribed")
			r.want(len(r.reader.asked()) == 2, "%d GETs, want one for each request", len(r.reader.asked()))
		}},
		{"H06 leaving that is refused changes nothing", func(r *rig) {
			callback := r.subscribe("/cb")
			r.reader.answers(http.StatusNotFound)
			r.ask("unsubscribe", callback)
			r.verify()
			r.news("a")
			r.gets("/cb", 1)
		}},
		{"H06 leaving that nobody answers changes nothing", func(r *rig) {
			callback := r.subscribe("/cb")
			r.reader.answers(http.StatusInternalServerError)
			r.ask("unsubscribe", callback)
			for range 5 {
				r.verify()
				r.clock.Advance(30 * time.Minute)
			}
			r.want(len(r.reader.asked()) == 1+4, "%d GETs, want one and three more", len(r.reader.asked())-1)
			r.want(r.active(callback), "it has ended")
		}},
		{"H09 only URLs of the web are taken", func(r *rig) {
			for _, u := range []string{
				"ftp://reader.example/cb", "javascript:alert(1)", "file:///etc/passwd", "gopher://reader.example/", "junk", "//reader.example/",
				"http://", "http:///cb", "http://[::1", "mailto:a@reader.example", "http://reader.example/\ncb", " ",
			} {
				r.refused(http.StatusBadRequest, "hub.callback", r.form("subscribe", u))
				r.refused(http.StatusBadRequest, "hub.topic", r.form("subscribe", r.reader.URL+"/cb", "hub.topic", u))
			}
		}},
		{"H10 topics that are not distributed are refused", func(r *rig) {
			r.refused(http.StatusNotFound, "hub.topic", r.form("subscribe", r.reader.URL+"/cb", "hub.topic", "http://harbour.example/other"))
		}},
		{"H11 characters that need no escape mean the same without", func(r *rig) {
			r.topics.set("http://harbour.example/~me", "text/plain", "a")
			r.ask("subscribe", r.reader.URL+"/cb", "hub.topic", "http://harbour.example/%7Eme")
			r.verify()
			got := r.reader.asked()
			r.want(len(got) == 1 && got[0].last("hub.topic") == "http://harbour.example/%7Eme", "it is named otherwise: %+v", got)
			r.publish("http://harbour.example/~me", "b")
			r.gets("/cb", 1)
			r.publish("http://harbour.example/%7e%6De", "")
			r.topics.change("http://harbour.example/~me", "c")
			r.publish("http://harbour.example/%7e%6De", "")
			r.gets("/cb", 2)
		}},
		{"H15 N01 N02 N03 a missing parameter is named", func(r *rig) {
			for _, name := range []string{"hub.mode", "hub.callback", "hub.topic"} {
				r.refused(http.StatusBadRequest, name, r.form("subscribe", r.reader.URL+"/cb", name, ""))
			}
		}},
		{"N04 other modes are refused", func(r *rig) {
			for _, mode := range []string{"denied", "subscribed", "pause"} {
				r.refused(http.StatusBadRequest, "hub.mode", r.form(mode, r.reader.URL+"/cb"))
			}
		}},
		{"N05 user names in callbacks are refused", func(r *rig) {
			r.refused(http.StatusBadRequest, "hub.callback", r.form("subscribe", "http://me:pw@reader.example/cb"))
		}},
		{"N06 fragments are refused", func(r *rig) {
			r.refused(http.StatusBadRequest, "hub.callback", r.form("subscribe", r.reader.URL+"/cb#x"))
			r.refused(http.StatusBadRequest, "hub.topic", r.form("subscribe", r.reader.URL+"/cb", "hub.topic", harbour+"#x"))
		}},
		{"N07 long callbacks are refused", func(r *rig) {
			r.refused(http.StatusBadRequest, "hub.callback", r.form("subscribe", r.reader.URL+"/"+strings.Repeat("c", 2048)))
		}},
		{"N08 a callback on the hub itself is refused", func(r *rig) {
			r.refused(http.StatusForbidden, "hub.callback", r.form("subscribe", r.served.URL+"/feed/production"))
		}},
		{"N12 leases that are no number are refused", func(r *rig) {
			for _, lease := range []string{"-1", "1.5", "day", "0x10", "1e3"} {
				r.refused(http.StatusBadRequest, "hub.lease_seconds", r.form("subscribe", r.reader.URL+"/cb", "hub.lease_seconds", lease))
			}
		}},
		{"N13 unknown methods of signing are refused", func(r *rig) {
			for _, method := range []string{"md5", "none", "sha"} {
				r.refused(http.StatusBadRequest, "hub.signature_algorithm",
					r.form("subscribe", r.reader.URL+"/cb", "hub.signature_algorithm", method))
			}
		}},
		{"N14 leaving without a subscription is accepted and asks nobody", func(r *rig) {
			r.ask("unsubscribe", r.reader.URL+"/cb")
			r.verify()
			r.want(len(r.reader.asked()) == 0, "a stranger was asked")
		}},
		{"N15 of a repeated parameter the first counts", func(r *rig) {
			got := r.post(r.form("subscribe", r.reader.URL+"/cb") + "&hub.callback=" + r.reader.URL + "/other&hub.mode=unsubscribe")
			r.want(got.status == http.StatusAccepted, "answered %d", got.status)
			r.verify()
			all := r.reader.asked()
			r.want(len(all) == 1 && all[0].path == "/cb" && all[0].last("hub.mode") == "subscribe", "asked %+v", all)
		}},
		{"N16 what a person subscribes is no stranger's to change", func(r *rig) {
			hook := feed.Subscription{Topic: harbour, Callback: r.reader.URL + "/cb", Kind: feed.KindWebhook}
			r.must(r.store.Subscribe(r.tb.Context(), &hook))
			r.refused(http.StatusForbidden, "hub.callback", r.form("unsubscribe", hook.Callback))
			r.refused(http.StatusForbidden, "hub.callback", r.form("subscribe", hook.Callback))
		}},
	}
}
