package hub_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// signedWith requires a sha256 signature with a secret; "" requires that there is no signature.
func signedWith(r *harness, d delivered, secret string) { signedBy(r, d, websub.SHA256, secret) }

func signedBy(r *harness, d delivered, method string, secret string) {
	got := d.header.Values(websub.SignatureHeader)
	if secret == "" {
		r.want(len(got) == 0, "signed without a secret: %v", got)
		return
	}
	r.want(len(got) == 1 && got[0] == websub.Sign(method, secret, []byte(d.body)), "the signature %v is not of %s and %q", got, method, secret)
}

// deliveryRows cover content distribution (section 7).
func deliveryRows() []check {
	rows := []check{
		{"H13 D03 deliveries use the callback unchanged", func(r *harness) {
			r.subscribe("/a%2Fb;c?k=9f&a=%41&k=2;x&hub.mode=mine")
			r.publish(harbour, "<feed>2</feed>")
			d := r.awaitDeliveries("/a%2Fb;c", 1)[0]
			r.want(d.query == "k=9f&a=A&k=2;x&hub.mode=mine" && "http://"+d.host == r.reader.URL, "to %s?%s at %s", d.path, d.query, d.host)
			r.want(d.body == "<feed>2</feed>", "the body is %q", d.body)
		}},
		{"H25 D02 the body is the document of the topic, unchanged and with its type", func(r *harness) {
			r.subscribe("/cb")
			for i, d := range []document{
				{"application/atom+xml", "<feed/>"}, {"application/rss+xml; charset=\"iso-8859-1\"", "<rss>\xe9</rss>"},
				{"text/plain;charset=utf-8", "plain\r\ntext "}, {"application/json", `{"a":1}`}, {"application/x-odd+thing", "\x00\x01\xff"},
				{"text/html", strings.Repeat("x", 1<<20)},
			} {
				r.topics.set(harbour, d.contentType, "")
				r.publish(harbour, d.body)
				got := r.awaitDeliveries("/cb", i+1)[i]
				r.want(got.body == d.body, "%.60q became %.60q", d.body, got.body)
				r.want(got.header.Get("Content-Type") == d.contentType, "%q became %q", d.contentType, got.header.Get("Content-Type"))
				r.want(got.header.Get("Content-Encoding") == "", "it is encoded")
			}
		}},
		{"H26 each delivery links to the hub and the topic", func(r *harness) {
			r.subscribe("/cb")
			r.publish(harbour, "<feed>2</feed>")
			fields := r.awaitDeliveries("/cb", 1)[0].header.Values("Link")
			r.want(len(fields) == 1, "%d Link fields", len(fields))
			said := websub.Discover(http.Header{"Link": fields}, nil, "http://elsewhere.example/")
			r.want(len(said.Hubs) == 1 && said.Hubs[0] == r.served.URL+"/hub" && said.Self == harbour, "the links are %s", fields[0])
		}},
		{"H27 D07 redirects are failures and are not followed", func(r *harness) {
			for i, status := range []int{301, 302, 303, 307, 308} {
				path := fmt.Sprintf("/cb/%d", i)
				callback := r.subscribe(path)
				r.reader.respondWith(func(w http.ResponseWriter, req *http.Request) {
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(status)
				})
				r.publish(harbour, fmt.Sprintf("<feed>%d</feed>", i))
				r.until(func() bool { return r.health(callback).Status == status }, "failure %d", status)
				r.want(len(r.reader.deliveries("/elsewhere")) == 0, "%d is followed", status)
			}
		}},
		{"H28 D06 410 ends a subscription", func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
			r.publish(harbour, "<feed>2</feed>")
			r.until(func() bool { return !r.active(callback) }, "the end")
			r.publish(harbour, "<feed>3</feed>")
			r.awaitDeliveries("/cb", 1)
		}},
		{"H29 D10 the body of a response is ignored", func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, strings.Repeat("410 Gone. Error! ", 1<<16))
			})
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/cb", 1)
			r.publish(harbour, "<feed>3</feed>")
			r.awaitDeliveries("/cb", 2)
			r.want(r.health(callback).Failures == 0, "it counts as a failure")
		}},
		{"H30 D04 a failed delivery is repeated with the same id", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "one")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
			r.publish(harbour, "<feed>2</feed>")
			r.until(func() bool { return r.health(callback).Failures == 1 }, "the failure")
			r.reader.respondWith(nil)
			r.clock.Advance(r.health(callback).Next.Sub(r.clock.Now()) + time.Second)
			r.wake()
			all := r.awaitDeliveries("/cb", 2)
			const id = "X-Feedwire-Delivery"
			r.want(all[0].body == all[1].body && all[0].header.Get(id) != "" && all[0].header.Get(id) == all[1].header.Get(id),
				"%q came first, then %q", all[0].header.Get(id), all[1].header.Get(id))
			signedWith(r, all[1], "one")
			r.publish(harbour, "<feed>3</feed>")
			all = r.awaitDeliveries("/cb", 3)
			r.want(all[2].header.Get(id) != all[1].header.Get(id), "two versions have one id")
		}},
		{"H31 D08 D09 a subscriber gets the next version after a delivery failed permanently", func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
			r.news("a")
			r.until(func() bool { return r.health(callback).Failures == 1 }, "the first failure")
			r.clock.Advance(25 * time.Hour)
			r.wake()
			r.until(func() bool { return r.health(callback).Failures == 2 }, "the last failure")
			r.clock.Advance(25 * time.Hour)
			r.reader.respondWith(nil)
			r.news("b")
			all := r.awaitDeliveries("/cb", 3)
			r.want(all[2].body == "b", "then came %q", all[2].body)
		}},
		{"H33 no delivery precedes the verification", func(r *harness) {
			r.subscribe("/other")
			r.request("subscribe", r.reader.URL+"/cb")
			r.news("a")
			r.awaitDeliveries("/other", 1)
			r.awaitDeliveries("/cb", 0)
		}},
		{"H33 D13 a subscriber gets no deliveries of other topics", func(r *harness) {
			const other = "http://harbour.example/feed.xml?other"
			r.topics.set(other, "text/plain", "a")
			r.subscribe("/cb")
			r.subscribe("/other", "hub.topic", other)
			r.publish(other, "b")
			r.awaitDeliveries("/other", 1)
			r.awaitDeliveries("/cb", 0)
		}},
		{"D14 no delivery follows the end of a subscription", func(r *harness) {
			callback := r.subscribe("/cb")
			r.subscribe("/other")
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/cb", 1)
			r.request("unsubscribe", callback)
			r.verify()
			r.publish(harbour, "<feed>3</feed>")
			r.awaitDeliveries("/other", 2)
			r.awaitDeliveries("/cb", 1)
		}},
		{"D15 versions arrive in order", func(r *harness) {
			r.subscribe("/cb")
			var want []string
			for i := range 20 {
				want = append(want, fmt.Sprint("version ", i))
			}
			r.news(want...)
			var got []string
			for _, d := range r.awaitDeliveries("/cb", len(want)) {
				got = append(got, d.body)
			}
			r.want(strings.Join(got, ",") == strings.Join(want, ","), "got %v", got)
		}},
		{"D16 a new subscriber gets later versions only", func(r *harness) {
			r.subscribe("/old")
			r.news("a")
			r.awaitDeliveries("/old", 1)
			r.subscribe("/new")
			r.news("b")
			all := r.awaitDeliveries("/new", 1)
			r.want(all[0].body == "b", "got %q", all[0].body)
		}},
		{"D17 an unchanged topic is not distributed", func(r *harness) {
			r.subscribe("/cb")
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/cb", 1)
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/cb", 1)
		}},
	}
	for _, status := range []int{400, 401, 403, 404, 405, 429, 500, 503} {
		rows = append(rows, check{fmt.Sprintf("H27 H31 D08 %d is a failure and does not end the subscription", status), func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
			r.publish(harbour, "<feed>2</feed>")
			r.until(func() bool { return r.health(callback).Failures == 1 }, "the failure")
			r.reader.respondWith(nil)
			r.clock.Advance(time.Hour)
			r.wake()
			r.awaitDeliveries("/cb", 2)
		}})
	}
	for _, status := range []int{200, 201, 202, 204, 206, 299} {
		rows = append(rows, check{fmt.Sprintf("H27 S12 %d is success", status), func(r *harness) {
			callback := r.subscribe("/cb")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/cb", 1)
			r.clock.Advance(48 * time.Hour)
			r.wake()
			r.awaitDeliveries("/cb", 1)
			r.want(r.health(callback).Failures == 0, "it counts as a failure")
		}})
	}
	return rows
}

// signatureRows cover authenticated content distribution (section 7.1).
func signatureRows() []check {
	rows := []check{
		{"H32 H02 deliveries are signed if there is a secret", func(r *harness) {
			r.subscribe("/signed", "hub.secret", "s3cret")
			r.subscribe("/plain")
			r.publish(harbour, "<feed>\xc3\xa9 \x00</feed>")
			signedWith(r, r.awaitDeliveries("/signed", 1)[0], "s3cret")
			signedWith(r, r.awaitDeliveries("/plain", 1)[0], "")
		}},
		{"H32 D12 secrets are arbitrary bytes", func(r *harness) {
			for i, secret := range []string{strings.Repeat("s", 199), "\x00\xff\r\n", strings.Repeat("é", 99), " blank ", "a+b%20&c=d"} {
				path := fmt.Sprintf("/cb/%d", i)
				r.subscribe(path, "hub.secret", secret)
				r.news(fmt.Sprint("version ", i))
				signedWith(r, r.awaitDeliveries(path, 1)[0], secret)
			}
		}},
		{"H32 an empty secret means no secret", func(r *harness) {
			callback := r.reader.URL + "/cb"
			got := r.post(r.form("subscribe", callback) + "&hub.secret=")
			r.want(got.status == http.StatusAccepted, "got %d", got.status)
			r.verify()
			r.news("a")
			signedWith(r, r.awaitDeliveries("/cb", 1)[0], "")
		}},
	}
	for _, method := range []string{websub.SHA1, websub.SHA256, websub.SHA384, websub.SHA512} {
		rows = append(rows, check{"H32 the subscriber may choose " + method, func(r *harness) {
			r.subscribe("/cb", "hub.secret", "s3cret", "hub.signature_algorithm", method)
			r.news("a")
			signedBy(r, r.awaitDeliveries("/cb", 1)[0], method, "s3cret")
		}})
	}
	return rows
}

// wireRows cover the HTTP of a hub, publish requests and extensions.
func wireRows() []check {
	return []check{
		{"W01 a request without parameters gets a description", func(r *harness) {
			got := r.get("")
			r.want(got.status == http.StatusOK && strings.Contains(got.body, "WebSub"), "got %d %q", got.status, got.body)
		}},
		{"W02 N17 only POST subscribes", func(r *harness) {
			query := "?" + r.form("subscribe", r.reader.URL+"/cb")
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodPatch} {
				req, err := http.NewRequest(method, r.served.URL+"/hub"+query, nil)
				r.must(err)
				got := r.do(req)
				r.want(got.status == http.StatusMethodNotAllowed && strings.Contains(got.header.Get("Allow"), "POST"), "%s answered %d", method, got.status)
			}
			r.verify()
			r.want(len(r.reader.verifications()) == 0, "it led to a GET")
		}},
		{"W03 parameters in the URL are ignored", func(r *harness) {
			req, err := http.NewRequest(http.MethodPost, r.served.URL+"/hub?"+r.form("subscribe", r.reader.URL+"/cb"), nil)
			r.must(err)
			got := r.do(req, "Content-Type", "application/x-www-form-urlencoded")
			r.want(got.status == http.StatusBadRequest, "got %d", got.status)
		}},
		{"W04 N18 only forms are accepted", func(r *harness) {
			for _, kind := range []string{"application/json", "multipart/form-data; boundary=x", "text/plain", "", "application/x-www-form-urlencodedx", "a/b/c"} {
				got := r.post(r.form("subscribe", r.reader.URL+"/cb"), "Content-Type", kind)
				r.want(got.status == http.StatusUnsupportedMediaType, "%q answered %d", kind, got.status)
			}
			got := r.post(r.form("subscribe", r.reader.URL+"/cb"), "Content-Type", "Application/X-WWW-Form-URLencoded; charset=UTF-8")
			r.want(got.status == http.StatusAccepted, "a form with a charset answered %d", got.status)
		}},
		{"W05 large forms are rejected", func(r *harness) {
			got := r.post(r.form("subscribe", r.reader.URL+"/cb", "foo", strings.Repeat("x", 16<<10)))
			r.want(got.status == http.StatusRequestEntityTooLarge, "got %d", got.status)
			r.verify()
			r.want(len(r.reader.verifications()) == 0, "it led to a GET")
		}},
		{"W06 malformed forms are rejected", func(r *harness) {
			r.rejected(http.StatusBadRequest, "form", "hub.mode=%zz&hub.topic=;")
		}},
		{"C01 hub.verify is ignored", func(r *harness) {
			for i, verify := range []string{"sync", "async", "foo", ""} {
				path := fmt.Sprintf("/cb/%d", i)
				r.want(r.active(r.subscribe(path, "hub.verify", verify)), "%q: not subscribed", verify)
			}
		}},
		{"C03 P05 hub.url and hub.topic are equivalent and repeatable", func(r *harness) {
			const second, third = "http://harbour.example/2", "http://harbour.example/3"
			for _, topic := range []string{second, third} {
				r.topics.set(topic, "text/plain", "a")
			}
			for _, c := range []struct {
				form string
				want string
			}{
				{"hub.mode=publish&hub.url=" + harbour, harbour},
				{"hub.mode=publish&hub.topic=" + second, second},
				{"hub.mode=PUBLISH&hub.url=" + harbour + "&hub.url=" + second, harbour + " " + second},
				{"hub.mode=publish&hub.topic=" + second + "&hub.topic=" + third, second + " " + third},
				{"hub.mode=publish&hub.topic=" + third + "&hub.url=" + harbour + "&hub.topic=" + harbour, harbour + " " + third},
			} {
				before := len(r.topics.refreshes())
				got := r.post(c.form)
				r.want(got.status == http.StatusNoContent, "%s answered %d %q", c.form, got.status, got.body)
				r.want(strings.Join(r.topics.refreshes()[before:], " ") == c.want, "%s refreshed %v", c.form, r.topics.refreshes()[before:])
			}
		}},
		{"C04 a rejected publish request names the parameter", func(r *harness) {
			for form, status := range map[string]int{
				"hub.mode=publish": 400, "hub.mode=publish&hub.url=junk": 400, "hub.mode=publish&hub.url=http://harbour.example/unknown": 404,
				"hub.mode=publish" + strings.Repeat("&hub.url=http://a", 1): 404,
			} {
				r.rejected(status, "hub.url", form)
			}
			var many strings.Builder
			for i := range 101 {
				fmt.Fprintf(&many, "&hub.url=http://a/%d", i)
			}
			r.rejected(http.StatusRequestEntityTooLarge, "hub.url", "hub.mode=publish"+many.String())
			got := r.post("hub.mode=publish&hub.url=" + harbour + "&hub.url=http://harbour.example/unknown")
			r.want(got.status == http.StatusMultiStatus && strings.Contains(got.body, harbour+": 204") &&
				strings.Contains(got.body, "http://harbour.example/unknown: 404"), "got %d %q", got.status, got.body)
			r.want(len(r.topics.refreshes()) == 1, "refreshed %v", r.topics.refreshes())
		}},
		{"C05 a publish request without subscribers is accepted", func(r *harness) {
			r.publish(harbour, "<feed>2</feed>")
		}},
		{"C06 a subscriber can report its number of readers", func(r *harness) {
			callback := r.subscribe("/cb")
			readers := func() int {
				sub, err := r.store.Subscription(context.Background(), feed.SubscriptionID(harbour, callback))
				r.must(err)
				return sub.Readers
			}
			for i, c := range []struct {
				said string
				want int
			}{{"", 0}, {"17", 17}, {"many", 17}, {"99999999", 10_000_000}, {"3", 3}} {
				r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) {
					if c.said != "" {
						w.Header().Set("X-Hub-On-Behalf-Of", c.said)
					}
				})
				r.publish(harbour, fmt.Sprintf("<feed>%d</feed>", i+2))
				r.awaitDeliveries("/cb", i+1)
				r.want(readers() == c.want, "%q is %d readers, want %d", c.said, readers(), c.want)
			}
		}},
		{"X02 a trusted client retrieves a topic", func(r *harness) {
			query := "?hub.mode=retrieve&hub.topic=" + harbour
			r.want(r.get(query).status == http.StatusForbidden, "a stranger may")
			got := r.get(query, "Authorization", "Bearer token")
			r.want(got.status == http.StatusOK && got.body == "<feed/>" && got.header.Get("Content-Type") == "application/atom+xml; charset=utf-8",
				"got %d %q %v", got.status, got.body, got.header)
			got = r.get(query+"/unknown", "Authorization", "Bearer token")
			r.want(got.status == http.StatusNotFound, "an unknown one answered %d", got.status)
			got = r.get(query+"&count=7&before=urn:b%26c&after=urn:a", "Authorization", "Bearer token")
			r.want(got.body == `<feed/> 7 before "urn:b&c" after "urn:a"`, "a part is %q", got.body)
			got = r.get(query+"&before=unknown", "Authorization", "Bearer token")
			r.want(got.status == http.StatusNotFound && strings.Contains(got.body, "before"), "an unknown entry answered %d %q", got.status, got.body)
			for _, count := range []string{"0", "51", "-1", "many", "1.5"} {
				got = r.get(query+"&count="+count, "Authorization", "Bearer token")
				r.want(got.status == http.StatusBadRequest && strings.HasPrefix(got.body, "count:"), "count %s answered %d %q", count, got.status, got.body)
			}
			r.topics.change(harbour, "")
			got = r.get(query, "Authorization", "Bearer token")
			r.want(got.status == http.StatusNotFound, "nothing answered %d", got.status)
		}},
		{"X03 a trusted client replays the newest delivery", func(r *harness) {
			callback := r.subscribe("/cb")
			again := r.form("replay", callback)
			token := []string{"Authorization", "Bearer token"}
			got := r.post(again, token...)
			r.want(got.status == http.StatusConflict, "got %d before there was anything", got.status)
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/cb", 1)
			r.want(r.post(again).status == http.StatusForbidden, "a stranger may")
			got = r.post(again, token...)
			r.want(got.status == http.StatusAccepted, "got %d %q", got.status, got.body)
			all := r.awaitDeliveries("/cb", 2)
			r.want(all[0].body == all[1].body, "%q came first, then %q", all[0].body, all[1].body)
			r.news("b", "c")
			r.awaitDeliveries("/cb", 4)
			got = r.post(r.form("replay", callback, "count", "2"), token...)
			r.want(got.status == http.StatusAccepted, "two answered %d %q", got.status, got.body)
			all = r.awaitDeliveries("/cb", 6)
			r.want(all[4].body == "b" && all[5].body == "c", "then came %q and %q", all[4].body, all[5].body)
			r.want(r.post(r.form("replay", callback, "count", "51"), token...).status == http.StatusBadRequest, "51 are not too many")
			got = r.post(r.form("replay", callback+"/unknown"), token...)
			r.want(got.status == http.StatusNotFound, "an unknown one answered %d", got.status)
		}},
		{"X06 the owner of a callback lists and replays with the secret", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "hush")
			r.subscribe("/other", "hub.secret", "hush")
			r.subscribe("/unsigned")
			owner := []string{"hub.secret", "hush"}
			got := r.post(r.form("list", callback, owner...))
			r.want(got.status == http.StatusOK && strings.Contains(got.body, harbour) && strings.Count(got.body, `"topic"`) == 1 &&
				!strings.Contains(got.body, "hush") && !strings.Contains(got.body, "/cb"), "the list is %d %q", got.status, got.body)
			r.news("a")
			r.want(r.awaitDeliveries("/cb", 1)[0].header.Get("X-Feedwire-Replay") == "", "news is marked as a replay")
			r.awaitDeliveries("/other", 1)
			r.awaitDeliveries("/unsigned", 1)
			r.awaitIdle()
			got = r.post(r.form("replay", callback, owner...))
			r.want(got.status == http.StatusAccepted, "the owner's replay answered %d %q", got.status, got.body)
			again := r.awaitDeliveries("/cb", 2)[1]
			r.want(again.body == "a" && again.header.Get("X-Feedwire-Replay") == "1", "the replay is %q %v", again.body, again.header)
			r.awaitIdle()
			for range 3 {
				got = r.post(r.form("replay", callback, "hub.secret", "hush", "count", "51"))
				r.want(got.status == http.StatusBadRequest, "51 answered %d %q", got.status, got.body)
			}
			got = r.post(r.form("replay", callback, owner...))
			r.want(got.status == http.StatusAccepted, "wrong counts are counted as replays: %d %q", got.status, got.body)
			r.awaitDeliveries("/cb", 3)
		}},
		{"X06 others do not list and replay", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "hush")
			unsigned := r.subscribe("/unsigned")
			wrong := r.post(r.form("list", callback, "hub.secret", "Hush"))
			for _, form := range []string{
				r.form("list", callback+"/unknown", "hub.secret", "hush"), r.form("list", unsigned, "hub.secret", "hush"),
				r.form("replay", callback, "hub.secret", "Hush"), r.form("replay", unsigned, "hub.secret", "hush"),
			} {
				got := r.post(form)
				r.want(got.status == http.StatusForbidden && got.body == wrong.body, "%s answered %d %q", form, got.status, got.body)
			}
			r.want(wrong.status == http.StatusForbidden, "a wrong secret answered %d", wrong.status)
			got := r.post(r.form("list", unsigned))
			r.want(got.status == http.StatusBadRequest, "a list without a secret answered %d", got.status)
			got = r.get("?hub.mode=list&hub.secret=hush&hub.callback=" + callback)
			r.want(got.status == http.StatusMethodNotAllowed, "GET answered %d", got.status)
			for range 10 {
				got = r.post(r.form("list", callback, "hub.secret", "guess"))
			}
			r.want(got.status == http.StatusTooManyRequests, "the guesses are not limited: %d", got.status)
		}},
		{"X08 the owner of a callback gets a test", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "hush")
			r.subscribe("/other", "hub.secret", "hush")
			test := func(callback, secret string) reply { return r.post(r.form("test", callback, "hub.secret", secret)) }
			got := test(callback, "hush")
			r.want(got.status == http.StatusOK && got.body == `{"accepted":true,"status":204,"reason":"2xx"}`+"\n", "got %d %q", got.status, got.body)
			sent := r.awaitDeliveries("/cb", 1)[0]
			r.want(sent.header.Get("X-Feedwire-Test") == "1" && sent.header.Get("Content-Type") == "text/plain; charset=utf-8" && sent.body != "",
				"the test is %q %v", sent.body, sent.header)
			signedWith(r, sent, "hush")
			r.reader.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
			got = test(callback, "hush")
			r.want(got.status == http.StatusOK && got.body == `{"accepted":false,"status":410,"reason":"4xx"}`+"\n", "got %d %q", got.status, got.body)
			r.want(r.active(callback) && r.health(callback).Failures == 0, "a test changes the subscription")
			r.reader.respondWith(nil)
			r.news("a")
			r.want(r.awaitDeliveries("/cb", 3)[2].header.Get("X-Feedwire-Test") == "", "news is marked as a test")
			r.awaitDeliveries("/other", 1)
			test(callback, "hush")
			r.want(test(callback, "hush").status == http.StatusTooManyRequests, "tests are not limited")
			r.awaitDeliveries("/cb", 4)
		}},
		{"X08 others get no test", func(r *harness) {
			callback, unsigned := r.subscribe("/cb", "hub.secret", "hush"), r.subscribe("/unsigned")
			r.request("subscribe", r.reader.URL+"/unconfirmed", "hub.secret", "hush")
			for _, form := range []string{
				r.form("test", callback, "hub.secret", "Hush"), r.form("test", callback), r.form("test", unsigned, "hub.secret", "hush"),
				r.form("test", r.reader.URL+"/unconfirmed", "hub.secret", "hush"), r.form("test", callback, "hub.secret", "hush", "hub.topic", harbour+"/other"),
			} {
				got := r.post(form)
				r.want(got.status == http.StatusForbidden || got.status == http.StatusNotFound, "%s answered %d %q", form, got.status, got.body)
			}
			got := r.get("?" + r.form("test", callback, "hub.secret", "hush"))
			r.want(got.status == http.StatusMethodNotAllowed, "GET answered %d", got.status)
			for _, path := range []string{"/cb", "/unsigned", "/unconfirmed"} {
				r.awaitDeliveries(path, 0)
			}
		}},
		{"X09 a badge has the number of subscribers", func(r *harness) {
			badge := func() reply { return r.get("?hub.mode=badge&hub.topic=" + url.QueryEscape(harbour)) }
			for n := range 12 {
				got := badge()
				r.want(got.status == http.StatusOK && got.header.Get("Content-Type") == "image/svg+xml", "got %d %v", got.status, got.header)
				r.want(strings.Contains(got.body, fmt.Sprintf("<title>subscribers: %d</title>", n)), "%d subscribers are %s", n, got.body)
				r.want(xml.Unmarshal([]byte(got.body), new(struct{})) == nil, "it is not well formed: %s", got.body)
				r.want(got.header.Get("Cache-Control") == "public, max-age=300", "caches keep it: %v", got.header)
				r.want(got.header.Get("Content-Security-Policy") == "default-src 'none'", "it may load something: %v", got.header)
				r.subscribe(fmt.Sprintf("/cb/%d", n))
				r.clock.Advance(time.Second)
			}
			got := r.get("?hub.mode=badge&hub.topic=" + harbour + "/unknown")
			r.want(got.status == http.StatusNotFound && got.header.Get("Cache-Control") == "no-store", "an unknown topic answered %d %v", got.status, got.header)
			off := r.options
			off.Badges = false
			r.front.Reload(off)
			r.want(badge().status == http.StatusForbidden, "without the option it answers %d", badge().status)
		}},
		{"X10 a publisher sends the content of a topic", func(r *harness) {
			r.subscribe("/cb", "hub.secret", "s3cret")
			const content = "\x00\xff any\r\n"
			got := r.publishContent(harbour, content, "Content-Type", "image/odd", "Authorization", "Bearer publisher")
			r.want(got.status == http.StatusNoContent, "got %d %q", got.status, got.body)
			d := r.awaitDeliveries("/cb", 1)[0]
			r.want(d.body == content && d.header.Get("Content-Type") == "image/odd", "got %q %v", d.body, d.header)
			signedWith(r, d, "s3cret")
		}},
		{"X10 content that is not accepted is not delivered", func(r *harness) {
			r.subscribe("/cb")
			publisher := []string{"Content-Type", "text/plain", "Authorization", "Bearer publisher"}
			for _, c := range []struct {
				topic, body string
				header      []string
				status      int
				says        string
			}{
				{harbour, "a", publisher[:2], http.StatusForbidden, "token"},
				{harbour, "a", []string{"Authorization", "Bearer token"}, http.StatusForbidden, "token"},
				{harbour, "", publisher, http.StatusBadRequest, "missing"},
				{harbour, strings.Repeat("a", 1001), publisher, http.StatusRequestEntityTooLarge, "1000 bytes"},
				{harbour, "a", append(publisher, "Content-Encoding", "br"), http.StatusBadRequest, "gzip"},
				{harbour + "/unknown", "a", publisher, http.StatusNotFound, "hub.url"},
				{"", "a", publisher, http.StatusBadRequest, "hub.url"},
			} {
				got := r.publishContent(c.topic, c.body, c.header...)
				r.want(got.status == c.status && strings.Contains(got.body, c.says), "%.20q to %s: got %d %q", c.body, c.topic, got.status, got.body)
			}
			r.awaitDeliveries("/cb", 0)
		}},
		{"X11 the owner of a callback sees its subscriptions on a page", func(r *harness) {
			callback := r.subscribe("/cb", "hub.secret", "hush")
			page := r.get("", "Accept", "text/html")
			r.want(page.status == http.StatusOK && strings.Contains(page.body, `name="hub.secret" type="password"`), "got %d %s", page.status, page.body)
			r.want(strings.HasPrefix(r.get("").header.Get("Content-Type"), "text/plain"), "programs get a page")
			do := func(mode, secret string) reply {
				return r.post(r.form(mode, callback, "hub.secret", secret), "Accept", "text/html")
			}
			got := do("list", "hush")
			r.want(got.status == http.StatusOK && strings.Contains(got.body, "<h2>"+harbour) && strings.Contains(got.body, "active, since"), "got %d %s", got.status, got.body)
			r.want(got.header.Get("Cache-Control") == "no-store", "the page is stored: %v", got.header)
			r.want(strings.HasPrefix(got.header.Get("Content-Security-Policy"), "default-src 'none'"), "it may load something: %v", got.header)
			got = do("test", "hush")
			r.want(strings.Contains(got.body, "accepted the test with 204"), "got %d %s", got.status, got.body)
			r.want(do("replay", "hush").status == http.StatusConflict, "there is a version to replay")
			for _, mode := range []string{"list", "test", "replay"} {
				got := do(mode, "wrong")
				r.want(got.status == http.StatusForbidden && strings.Contains(got.body, `role="alert"`), "got %d", got.status)
				r.want(!strings.Contains(got.body, harbour), "a stranger sees the topic: %s", got.body)
			}
			for got.status = http.StatusForbidden; got.status == http.StatusForbidden; {
				got = do("list", "wrong")
			}
			r.want(got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") != "", "guesses get %d %v", got.status, got.header)
		}},
		{"X05 a trusted client gets the topic with its confirmed subscription", func(r *harness) {
			stop := run(r)
			defer stop()
			token := []string{"Authorization", "Bearer token"}
			got := r.post(r.form("subscribe", r.reader.URL+"/cb", "retrieve", "true"), token...)
			r.want(got.status == http.StatusOK && got.body == "<feed/>" && got.header.Get("Content-Type") == "application/atom+xml; charset=utf-8",
				"got %d %q %v", got.status, got.body, got.header)
			r.want(r.active(r.reader.URL+"/cb"), "it is not subscribed")
			r.topics.change(harbour, "")
			got = r.post(r.form("subscribe", r.reader.URL+"/cb", "retrieve", "true"), token...)
			r.want(got.status == http.StatusNoContent, "nothing answered %d", got.status)
			r.want(len(r.reader.verifications()) == 2, "%d GETs, want 2", len(r.reader.verifications()))
			r.topics.change(harbour, "<feed/>")
			for _, more := range [][2]string{{"retrieve", "false"}, {"retrieve", ""}} {
				got = r.post(r.form("subscribe", r.reader.URL+"/cb", more[0], more[1]), token...)
				r.want(got.status == http.StatusAccepted, "without it answered %d", got.status)
			}
		}},
		{"H16 X05 other clients, and unconfirmed requests, get no topic", func(r *harness) {
			got := r.post(r.form("subscribe", r.reader.URL+"/cb", "retrieve", "true"))
			r.want(got.status == http.StatusAccepted && !strings.Contains(got.body, "<feed"), "a stranger got %d %q", got.status, got.body)
			r.reader.confirmWith(func(w http.ResponseWriter, req *http.Request, _ string) {
				if req.URL.Path == "/away" {
					w.WriteHeader(http.StatusServiceUnavailable)
					r.clock.Advance(10 * time.Second)
					return
				}
				w.WriteHeader(http.StatusNotFound)
			})
			stop := run(r)
			defer stop()
			// The clock advances only for the unreachable callback: a refusal is reported at once, not after 8 s.
			for path, want := range map[string]int{"/no": http.StatusUnprocessableEntity, "/away": http.StatusAccepted} {
				got = r.post(r.form("subscribe", r.reader.URL+path, "retrieve", "true"), "Authorization", "Bearer token")
				r.want(got.status == want && !strings.Contains(got.body, "<feed"), "%s answered %d %q", path, got.status, got.body)
			}
		}},
		{"H20 X04 secrets and callbacks do not leak", func(r *harness) {
			for _, got := range []reply{
				r.post(r.form("subscribe", r.reader.URL+"/token", "hub.secret", "hush")),
				r.post(r.form("subscribe", r.reader.URL+"/token", "hub.secret", strings.Repeat("hush", 100))),
				r.post(r.form("subscribe", r.reader.URL+"/token", "hub.topic", harbour+"/unknown")),
				r.post(r.form("subscribe", r.served.URL+"/token")),
			} {
				r.want(!strings.Contains(got.body, "hush") && !strings.Contains(got.body, "token"), "the answer is %q", got.body)
				r.want(got.header.Get("X-Content-Type-Options") == "nosniff", "the answer may be sniffed")
			}
		}},
	}
}

// rocksRows are the hub tests of websub.rocks. As in that suite, the publisher names its topic in hub.topic.
func rocksRows() []check {
	news := func(r *harness, body string) {
		r.topics.change(harbour, body)
		r.post("hub.mode=publish&hub.topic=" + harbour)
	}
	demand := func(r *harness, d delivered, body, secret string) {
		r.want(d.body != "", "the body is empty")
		r.want(d.body == body, "the body is %q, want %q", d.body, body)
		doc, _ := r.topics.get(harbour)
		r.want(d.header.Get("Content-Type") == doc.contentType, "the type is %q", d.header.Get("Content-Type"))
		said := websub.Discover(d.header, nil, r.served.URL)
		r.want(len(said.Hubs) > 0 && said.Hubs[0] == r.served.URL+"/hub", "hubs are %v", said.Hubs)
		r.want(said.Self == harbour, "self is %q", said.Self)
		signedWith(r, d, secret)
	}
	verified := func(r *harness, mode string, count int) {
		r.verify()
		all := r.reader.verifications()
		r.want(len(all) == count, "%d GETs, want %d", len(all), count)
		v := all[count-1].values
		r.want(v.Get("hub.mode") == mode && v.Get("hub.topic") == harbour && v.Get("hub.challenge") != "", "asked by %v", v)
		r.want(mode != "subscribe" || v.Get("hub.lease_seconds") != "", "without a lease")
	}
	rows := []check{
		{"R100 a typical subscriber works", func(r *harness) {
			r.request("subscribe", r.reader.URL+"/hub/100/sub/t")
			verified(r, "subscribe", 1)
			news(r, "<feed>quote</feed>")
			demand(r, r.awaitDeliveries("/hub/100/sub/t", 1)[0], "<feed>quote</feed>", "")
		}},
		{"R101 with a secret", func(r *harness) {
			r.request("subscribe", r.reader.URL+"/hub/101/sub/t", "hub.secret", "abcdefghijklmnopqrst")
			verified(r, "subscribe", 1)
			news(r, "<feed>quote</feed>")
			demand(r, r.awaitDeliveries("/hub/101/sub/t", 1)[0], "<feed>quote</feed>", "abcdefghijklmnopqrst")
		}},
		{"R102 with more parameters", func(r *harness) {
			r.request("subscribe", r.reader.URL+"/hub/102/sub/t", "foo", "bar", "hub.foo", "hub.bar")
			verified(r, "subscribe", 1)
			news(r, "<feed>quote</feed>")
			demand(r, r.awaitDeliveries("/hub/102/sub/t", 1)[0], "<feed>quote</feed>", "")
		}},
		{"R103 subscribing again", func(r *harness) {
			for round := 1; round <= 2; round++ {
				r.request("subscribe", r.reader.URL+"/hub/103/sub/t")
				verified(r, "subscribe", round)
				body := fmt.Sprintf("<feed>quote %d</feed>", round)
				news(r, body)
				demand(r, r.awaitDeliveries("/hub/103/sub/t", round)[round-1], body, "")
			}
		}},
		{"R104 unsubscribing", func(r *harness) {
			r.subscribe("/other")
			r.request("subscribe", r.reader.URL+"/hub/104/sub/t")
			verified(r, "subscribe", 2)
			news(r, "<feed>quote</feed>")
			r.awaitDeliveries("/hub/104/sub/t", 1)
			r.request("unsubscribe", r.reader.URL+"/hub/104/sub/t", "hub.lease_seconds", "0")
			verified(r, "unsubscribe", 3)
			news(r, "<feed>another</feed>")
			r.awaitDeliveries("/other", 2)
			r.awaitDeliveries("/hub/104/sub/t", 1)
		}},
	}
	for row, d := range map[string]document{
		"R105 a topic of plain text": {"text/plain", "one line\nand another"},
		"R106 a topic of JSON":       {"application/json", `{"version":"https://jsonfeed.org/version/1.1","items":[]}`},
	} {
		rows = append(rows, check{row, func(r *harness) {
			r.topics.set(harbour, d.contentType, "")
			r.request("subscribe", r.reader.URL+"/hub/sub/t")
			verified(r, "subscribe", 1)
			news(r, d.body)
			demand(r, r.awaitDeliveries("/hub/sub/t", 1)[0], d.body, "")
		}})
	}
	return rows
}
