package hub_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// fault is one mistake of a hub. It changes incoming requests, outgoing requests, or calls of the store.
type fault struct {
	name    string
	caught  string // the row of the check that finds it
	options func(*hub.FrontOptions)
	request func(r *harness, next http.Handler) http.Handler
	call    func(next http.RoundTripper) http.RoundTripper
	add     func(r *feed.HubRequest)
	grant   func(r *feed.HubRequest)
	drop    func(s store.Nouns, r feed.HubRequest) error
	version func(d *feed.Distribution)
	settle  func(s *feed.DeliveryResult)
	fetch   func(d *feed.OpenDocument, err *error) // the document of an open topic
}

// engineStore is the store of a front and an engine.
type engineStore = store.Nouns

// faultyStore applies the fault to the calls of the store.
type faultyStore struct {
	engineStore
	f       *fault
	changed chan struct{} // has a token if there may be something to plan
}

// PlanDeliveries waits until there is something to plan, so that the engine does not pause.
func (s *faultyStore) PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error) {
	planned, more, err = s.engineStore.PlanDeliveries(ctx, limit)
	if planned > 0 || more || err != nil {
		return planned, more, err
	}
	select {
	case <-s.changed:
	case <-time.After(100 * time.Millisecond):
	case <-ctx.Done():
	}
	return 0, true, ctx.Err()
}

// BareSignals returns no signals: the harness distributes directly.
func (s *faultyStore) BareSignals(ctx context.Context, _ string, _ int, wait time.Duration) ([]feed.Signal, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, ctx.Err()
}

func (s *faultyStore) AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error {
	if s.f.add != nil {
		s.f.add(&r)
	}
	return s.engineStore.AddHubRequest(ctx, r, most)
}

func (s *faultyStore) GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error {
	if s.f.grant == nil {
		return s.engineStore.GrantHubRequest(ctx, r, from)
	}
	was := r
	s.f.grant(&r)
	if r.Mode != feed.HubSubscribe {
		return s.engineStore.GrantHubRequest(ctx, was, from)
	}
	sub := feed.Subscription{
		Topic: r.Topic, Callback: r.Callback, Kind: feed.KindWebSub, Secret: r.Secret, Method: r.Method, Lease: r.Lease,
	}
	if err := s.Subscribe(ctx, &sub); err != nil {
		return err
	}
	return s.engineStore.DropHubRequest(ctx, was)
}

func (s *faultyStore) DropHubRequest(ctx context.Context, r feed.HubRequest) error {
	if s.f.drop != nil {
		return s.f.drop(s.engineStore, r)
	}
	return s.engineStore.DropHubRequest(ctx, r)
}

func (s *faultyStore) Version(ctx context.Context, topic string, version int64) (feed.Distribution, error) {
	d, err := s.engineStore.Version(ctx, topic, version)
	if err == nil && s.f.version != nil {
		s.f.version(&d)
	}
	return d, err
}

func (s *faultyStore) FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, more int, err error) {
	for i := range all {
		if s.f.settle != nil {
			s.f.settle(&all[i])
		}
	}
	return s.engineStore.FinishDeliveries(ctx, all)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// on applies a fault to the requests of one HTTP method. The fault decides whether the request is sent.
func on(method string, f func(req *http.Request, next http.RoundTripper) (*http.Response, error)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method != method {
				return next.RoundTrip(req)
			}
			return f(req, next)
		})
	}
}

// sends changes outgoing requests.
func sends(method string, change func(req *http.Request)) func(http.RoundTripper) http.RoundTripper {
	return on(method, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		req = req.Clone(req.Context())
		change(req)
		return next.RoundTrip(req)
	})
}

// sendsBody changes outgoing deliveries and their bodies.
func sendsBody(change func(h http.Header, body []byte) []byte) func(http.RoundTripper) http.RoundTripper {
	return sends(http.MethodPost, func(req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		body = change(req.Header, body)
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		req.GetBody = nil
	})
}

// hears changes the responses that the hub receives.
func hears(method string, change func(req *http.Request, resp *http.Response)) func(http.RoundTripper) http.RoundTripper {
	return on(method, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err == nil {
			change(req, resp)
		}
		return resp, err
	})
}

func says(resp *http.Response, body string) { resp.Body = io.NopCloser(strings.NewReader(body)) }

func challengeIn(req *http.Request) string {
	all := req.URL.Query()["hub.challenge"]
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// follows follows redirects, as an HTTP client does by default.
func follows(method string) func(http.RoundTripper) http.RoundTripper {
	return on(method, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		req.RequestURI = ""
		return (&http.Client{Transport: next}).Do(req)
	})
}

// reads changes the forms that the hub receives.
func reads(change func(form url.Values)) func(*harness, http.Handler) http.Handler {
	return func(_ *harness, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			form, err := url.ParseQuery(string(body))
			if err == nil && len(form) > 0 {
				change(form)
				body = []byte(form.Encode())
			}
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			next.ServeHTTP(w, req)
		})
	}
}

// answers changes the responses of the hub.
func answers(change func(status int, h http.Header, body string) (int, string)) func(*harness, http.Handler) http.Handler {
	return func(_ *harness, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, req)
			status, body := change(rec.Code, rec.Header(), rec.Body.String())
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
}

func status(from, to int) func(*harness, http.Handler) http.Handler {
	return answers(func(status int, _ http.Header, body string) (int, string) {
		if status == from {
			status = to
		}
		return status, body
	})
}

// withoutParameter removes a parameter from a query.
func withoutParameter(req *http.Request, name string) {
	var kept []string
	for _, p := range strings.Split(req.URL.RawQuery, "&") {
		if !strings.HasPrefix(p, name+"=") {
			kept = append(kept, p)
		}
	}
	req.URL.RawQuery = strings.Join(kept, "&")
}

func faults() []fault {
	all := requestFaults()
	all = append(all, verificationFaults()...)
	return slices.Concat(all, deliveryFaults(), openFaults())
}

func requestFaults() []fault {
	return []fault{
		{name: "accepted requests get 200", caught: "H01 H14 a request with three parameters is accepted", request: status(202, 200)},
		{name: "modes in capitals are rejected", caught: "H01 the mode may be in any case",
			request: reads(func(f url.Values) {
				if m := f.Get("hub.mode"); m != strings.ToLower(m) {
					f.Del("hub.mode")
				}
			})},
		{name: "long secrets are truncated", caught: "H03 secrets are shorter than 200 bytes",
			request: reads(func(f url.Values) {
				if s := f.Get("hub.secret"); len(s) > 199 {
					f.Set("hub.secret", s[:199])
				}
			})},
		{name: "the length of secrets is in characters", caught: "H03 secrets are shorter than 200 bytes",
			request: reads(func(f url.Values) {
				if s := f.Get("hub.secret"); len([]rune(s)) < 200 && len(s) > 199 {
					f.Set("hub.secret", "short")
				}
			})},
		{name: "secrets of 199 bytes are rejected", caught: "H03 secrets are shorter than 200 bytes",
			request: reads(func(f url.Values) {
				if s := f.Get("hub.secret"); len(s) == 199 {
					f.Set("hub.secret", s+"x")
				}
			})},
		{name: "unknown parameters are rejected", caught: "H04 unknown parameters are ignored",
			request: reads(func(f url.Values) {
				if f.Has("hub.foo") {
					f.Del("hub.mode")
				}
			})},
		{name: "a renewal without a secret keeps the old one", caught: "H05 a verified renewal replaces the subscription",
			grant: func() func(*feed.HubRequest) {
				last := ""
				return func(r *feed.HubRequest) {
					if r.Secret == "" {
						r.Secret = last
					}
					last = r.Secret
				}
			}()},
		{name: "other URLs are accepted", caught: "H09 only http and https URLs are accepted",
			request: reads(func(f url.Values) {
				if strings.HasPrefix(f.Get("hub.callback"), "ftp:") {
					f.Set("hub.callback", "http://reader.example/")
				}
			})},
		{name: "any topic is accepted", caught: "H10 unknown topics are rejected",
			request: reads(func(f url.Values) { f.Set("hub.topic", harbour) })},
		{name: "escapes are not decoded", caught: "H11 escapes of unreserved characters are equivalent",
			request: reads(func(f url.Values) {
				f.Set("hub.topic", strings.ReplaceAll(f.Get("hub.topic"), "%7E", "%257E"))
			})},
		{name: "the verification has another spelling of the topic", caught: "H11 escapes of unreserved characters are equivalent",
			add: func(r *feed.HubRequest) { r.RequestedTopic = "" }},
		{name: "fragments are removed", caught: "N06 fragments are rejected",
			request: reads(func(f url.Values) {
				before, _, _ := strings.Cut(f.Get("hub.callback"), "#")
				f.Set("hub.callback", before)
			})},
		{name: "callbacks on the hub are accepted", caught: "N08 a callback on the hub itself is rejected",
			options: func(o *hub.FrontOptions) { o.URL = "" }},
		{name: "errors get 200", caught: "H15 N01 N02 N03 a missing parameter is named", request: status(400, 200)},
		{name: "errors have no reason", caught: "H15 N01 N02 N03 a missing parameter is named",
			request: answers(func(status int, _ http.Header, _ string) (int, string) { return status, "Bad Request" })},
		{name: "errors are HTML", caught: "H15 N01 N02 N03 a missing parameter is named",
			request: answers(func(status int, h http.Header, body string) (int, string) {
				h.Set("Content-Type", "text/html")
				return status, body
			})},
		{name: "the response waits for the callback", caught: "H16 N19 the response does not wait for the callback",
			request: func(r *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					rec := httptest.NewRecorder()
					next.ServeHTTP(rec, req)
					for len(r.reader.verifications()) == 0 {
						time.Sleep(time.Millisecond)
					}
					time.Sleep(r.patience / 2) // until the callback has answered, or will not
					w.WriteHeader(rec.Code)
				})
			}},
		{name: "the response depends on the callback", caught: "H16 N20 the response does not depend on the callback",
			request: func(r *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					rec := httptest.NewRecorder()
					next.ServeHTTP(rec, req)
					r.verify()
					all, _ := r.store.Subscriptions(req.Context(), "", "", 1)
					if len(all) == 0 {
						rec.Code = http.StatusConflict
					}
					w.WriteHeader(rec.Code)
				})
			}},
		{name: "GET subscribes", caught: "W02 N17 only POST subscribes",
			request: func(_ *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					if req.Method == http.MethodGet {
						req.Method = http.MethodPost
						req.Body = io.NopCloser(strings.NewReader(req.URL.RawQuery))
						req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					}
					next.ServeHTTP(w, req)
				})
			}},
		{name: "parameters in the URL count", caught: "W03 parameters in the URL are ignored",
			request: func(_ *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					req.Body = io.NopCloser(strings.NewReader(req.URL.RawQuery))
					next.ServeHTTP(w, req)
				})
			}},
		{name: "any Content-Type is accepted", caught: "W04 N18 only forms are accepted",
			request: func(_ *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					next.ServeHTTP(w, req)
				})
			}},
		{name: "only the first topic of a publish counts", caught: "C03 P05 hub.url and hub.topic are equivalent and repeatable",
			request: reads(func(f url.Values) {
				if len(f["hub.url"]) > 1 {
					f["hub.url"] = f["hub.url"][:1]
				}
			})},
		{name: "only hub.topic publishes", caught: "C03 P05 hub.url and hub.topic are equivalent and repeatable",
			request: reads(func(f url.Values) { f.Del("hub.url") })},
		{name: "only hub.url publishes", caught: "R100 a typical subscriber works",
			request: reads(func(f url.Values) {
				if f.Get("hub.mode") == "publish" {
					f.Del("hub.topic")
				}
			})},
		{name: "unknown topics of a publish request are ignored", caught: "C04 a rejected publish request names the parameter", request: status(404, 204)},
	}
}

func verificationFaults() []fault {
	const reencoded = "H12 V04 the query of the callback precedes the parameters of the hub"
	return []fault{
		{name: "nothing is verified", caught: "H05 a verified renewal replaces the subscription",
			request: func(r *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					next.ServeHTTP(w, req)
					if req.Form.Get("hub.secret") == "two" {
						_ = r.store.Subscribe(req.Context(), &feed.Subscription{
							Topic: harbour, Callback: req.Form.Get("hub.callback"), Kind: feed.KindWebSub, Secret: "two", Lease: time.Hour,
						})
					}
				})
			}},
		{name: "an older request replaces a newer one", caught: "H05 the newer of two renewals counts, in any order of confirmation",
			grant: func(*feed.HubRequest) {}}, // as if granted alone
		{name: "a refused renewal ends the subscription", caught: "H06 a refused renewal changes nothing",
			drop: func(s store.Nouns, r feed.HubRequest) error {
				_ = s.Unsubscribe(context.Background(), r.Subscription())
				return s.DropHubRequest(context.Background(), r)
			}},
		{name: "unsubscribe requests are not verified", caught: "H06 a refused unsubscribe request changes nothing",
			call: hears(http.MethodGet, func(req *http.Request, resp *http.Response) {
				if req.URL.Query().Get("hub.mode") == "unsubscribe" {
					resp.StatusCode = http.StatusOK
				}
			})},
		{name: "a refused renewal is granted", caught: "H06 a refused renewal changes nothing",
			drop: func(s store.Nouns, r feed.HubRequest) error {
				return s.GrantHubRequest(context.Background(), r, time.Now())
			}},
		{name: "the callback's query is encoded anew", caught: reencoded,
			call: sends(http.MethodGet, func(req *http.Request) { req.URL.RawQuery = req.URL.Query().Encode() })},
		{name: "the callback's query is lost", caught: reencoded,
			call: sends(http.MethodGet, func(req *http.Request) {
				req.URL.RawQuery = req.URL.RawQuery[strings.LastIndex(req.URL.RawQuery, "hub.mode="):]
			})},
		{name: "the callback's path is cleaned", caught: "H13 paths are not normalised",
			call: sends(http.MethodGet, func(req *http.Request) { req.URL.RawPath = "" })},
		{name: "the topic is not encoded", caught: "H21 V05 the parameters are complete and encoded",
			call: sends(http.MethodGet, func(req *http.Request) {
				topic := req.URL.Query().Get("hub.topic")
				req.URL.RawQuery = strings.Replace(req.URL.RawQuery, strings.ReplaceAll(url.QueryEscape(topic), "+", "%20"), topic, 1)
			})},
		{name: "the lease is not announced", caught: "H21 V05 the parameters are complete and encoded",
			call: sends(http.MethodGet, func(req *http.Request) { withoutParameter(req, "hub.lease_seconds") })},
		{name: "the topic is missing", caught: "H21 V05 the parameters are complete and encoded",
			call: sends(http.MethodGet, func(req *http.Request) { withoutParameter(req, "hub.topic") })},
		{name: "the verify token is lost", caught: "C02 the verify token is returned",
			add: func(r *feed.HubRequest) { r.VerifyToken = "" }},
		{name: "redirects of a verification are followed", caught: "H22 V08 redirects do not confirm and are not followed",
			call: follows(http.MethodGet)},
		{name: "redirects confirm", caught: "H22 V08 redirects do not confirm and are not followed",
			call: hears(http.MethodGet, func(_ *http.Request, resp *http.Response) {
				if resp.StatusCode/100 == 3 {
					resp.StatusCode = http.StatusOK
				}
			})},
		{name: "any body confirms", caught: "H22 V09 another body does not confirm",
			call: hears(http.MethodGet, func(req *http.Request, resp *http.Response) { says(resp, challengeIn(req)) })},
		{name: "the status is ignored", caught: "H22 V07 404 with the challenge does not confirm",
			call: hears(http.MethodGet, func(_ *http.Request, resp *http.Response) { resp.StatusCode = http.StatusOK })},
		{name: "only 200 confirms", caught: "H22 V06 202 with the challenge confirms",
			call: hears(http.MethodGet, func(_ *http.Request, resp *http.Response) {
				if resp.StatusCode != http.StatusOK {
					resp.StatusCode = http.StatusNotFound
				}
			})},
		{name: "a body that begins with the challenge confirms", caught: "H22 V10 more than the challenge does not confirm",
			call: hears(http.MethodGet, func(req *http.Request, resp *http.Response) {
				if body, _ := io.ReadAll(resp.Body); strings.HasPrefix(string(body), challengeIn(req)) {
					says(resp, challengeIn(req))
				}
			})},
		{name: "a beginning of the challenge confirms", caught: "H22 V10 a part of the challenge does not confirm",
			call: hears(http.MethodGet, func(req *http.Request, resp *http.Response) {
				if body, _ := io.ReadAll(resp.Body); strings.HasPrefix(challengeIn(req), string(body)) {
					says(resp, challengeIn(req))
				}
			})},
		{name: "spaces around the challenge are ignored", caught: "H22 V10 the challenge with a line end does not confirm",
			call: hears(http.MethodGet, func(_ *http.Request, resp *http.Response) {
				body, _ := io.ReadAll(resp.Body)
				says(resp, strings.TrimSpace(string(body)))
			})},
		{name: "the challenge is always the same", caught: "V03 H23 challenges are random and new each time",
			call: on(http.MethodGet, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				const constant = "the-one-and-only-challenge"
				challenge := challengeIn(req)
				req = req.Clone(req.Context())
				req.URL.RawQuery = strings.Replace(req.URL.RawQuery, challenge, constant, 1)
				resp, err := next.RoundTrip(req)
				if err == nil {
					body, _ := io.ReadAll(resp.Body)
					says(resp, strings.Replace(string(body), constant, challenge, 1))
				}
				return resp, err
			})},
		{name: "failed verifications are not retried", caught: "H06 an unsubscribe request without response changes nothing",
			call: hears(http.MethodGet, func(_ *http.Request, resp *http.Response) {
				if resp.StatusCode >= 500 {
					resp.StatusCode = http.StatusNotFound
				}
			})},
		{name: "denied subscribers are not informed", caught: "H20 D22 a denied subscriber is informed and gets no more deliveries",
			call: on(http.MethodGet, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if req.URL.Query().Get("hub.mode") == "denied" {
					return nil, io.ErrUnexpectedEOF
				}
				return next.RoundTrip(req)
			})},
		{name: "the reason of a denial is lost", caught: "H20 D22 a denied subscriber is informed and gets no more deliveries",
			add: func(r *feed.HubRequest) { r.Reason = "" }},
		{name: "denied subscriptions continue", caught: "H20 D22 a denied subscriber is informed and gets no more deliveries",
			grant: func(r *feed.HubRequest) {
				if r.Mode == feed.HubDenied {
					r.Mode, r.Lease = feed.HubSubscribe, time.Hour
				}
			}},
		{name: "leases are not bounded", caught: "H07 L01 leases are granted within bounds and announced",
			options: func(o *hub.FrontOptions) { o.MaxLease = 87600 * time.Hour }},
		{name: "all topics have the same lease", caught: "X07 some topics have leases of their own",
			options: func(o *hub.FrontOptions) { o.TopicLeases = nil }},
		{name: "the last lease of a topic counts", caught: "X07 some topics have leases of their own",
			options: func(o *hub.FrontOptions) { slices.Reverse(o.TopicLeases) }},
		{name: "short leases are granted", caught: "H07 L01 leases are granted within bounds and announced",
			options: func(o *hub.FrontOptions) { o.MinLease = time.Second }},
		{name: "the lease of an unsubscribe request is announced", caught: "H08 the lease of an unsubscribe request is ignored",
			request: reads(func(f url.Values) {
				if f.Get("hub.mode") == "unsubscribe" && f.Get("hub.lease_seconds") == "-1" {
					f.Del("hub.topic")
				}
			})},
		{name: "leases never end", caught: "H24 L02 a lease ends at the announced time",
			grant: func(r *feed.HubRequest) { r.Lease = 0 }},
		{name: "leases begin with the request", caught: "H24 L03 a lease begins with the verification",
			grant: func(r *feed.HubRequest) { r.Lease -= 30 * time.Minute }},
		{name: "a renewal keeps the old end", caught: "H24 L05 a renewal begins a new lease",
			grant: func() func(*feed.HubRequest) {
				renewals := 0
				return func(r *feed.HubRequest) {
					r.Lease -= time.Duration(renewals) * 50 * time.Minute
					renewals++
				}
			}()},
	}
}

func deliveryFaults() []fault {
	post := func(from, to int) func(http.RoundTripper) http.RoundTripper {
		return hears(http.MethodPost, func(_ *http.Request, resp *http.Response) {
			if resp.StatusCode == from || from == 0 && resp.StatusCode != http.StatusOK {
				resp.StatusCode = to
			}
		})
	}
	header := func(name, value string) func(http.RoundTripper) http.RoundTripper {
		return sends(http.MethodPost, func(req *http.Request) {
			req.Header.Del(name)
			if value != "" {
				req.Header.Set(name, value)
			}
		})
	}
	signed := func(method string, secret string) func(http.RoundTripper) http.RoundTripper {
		return sendsBody(func(h http.Header, body []byte) []byte {
			h.Set(websub.SignatureHeader, websub.Sign(method, secret, body))
			return body
		})
	}
	const (
		again     = "H30 D04 a failed delivery is repeated with the same id"
		bytesKept = "H25 D02 the body is the document of the topic, unchanged and with its type"
		signature = "H32 H02 deliveries are signed if there is a secret"
		links     = "H26 each delivery links to the hub and the topic"
	)
	return []fault{
		{name: "the callback's query is lost on delivery", caught: "H13 D03 deliveries use the callback unchanged",
			call: sends(http.MethodPost, func(req *http.Request) { req.URL.RawQuery = "" })},
		{name: "deliveries are encoded", caught: bytesKept, call: header("Content-Encoding", "identity")},
		{name: "the media type is replaced", caught: bytesKept, call: header("Content-Type", "application/atom+xml")},
		{name: "line ends are normalised", caught: bytesKept,
			call: sendsBody(func(_ http.Header, body []byte) []byte { return bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")) })},
		{name: "there are no links", caught: links, call: header("Link", "")},
		{name: "there is no link to the topic", caught: links, call: header("Link", `<http://hub.example/>; rel="hub"`)},
		{name: "redirects of a delivery are followed", caught: "H27 D07 redirects are failures and are not followed",
			call: follows(http.MethodPost)},
		{name: "redirects are success", caught: "H27 D07 redirects are failures and are not followed", call: post(301, 200)},
		{name: "410 is like any failure", caught: "H28 D06 410 ends a subscription", call: post(410, 500)},
		{name: "404 ends a subscription", caught: "H27 H31 D08 404 is a failure and does not end the subscription", call: post(404, 410)},
		{name: "429 is success", caught: "H27 H31 D08 429 is a failure and does not end the subscription", call: post(429, 200)},
		{name: "only 200 is success", caught: "H27 S12 204 is success", call: post(0, 500)},
		{name: "failures are not counted", caught: again,
			settle: func(s *feed.DeliveryResult) { s.Outcome = feed.Delivered }},
		{name: "failed deliveries are not retried in time", caught: again,
			settle: func(s *feed.DeliveryResult) { s.Next = time.Time{} }},
		{name: "all clients are trusted", caught: "X02 a trusted client retrieves a topic",
			options: func(o *hub.FrontOptions) { o.Trusted = func(*http.Request) bool { return true } }},
		{name: "anyone publishes content", caught: "X10 content that is not accepted is not delivered",
			options: func(o *hub.FrontOptions) { o.Publisher = func(*http.Request) bool { return true } }},
		{name: "content of any size is accepted", caught: "X10 content that is not accepted is not delivered",
			options: func(o *hub.FrontOptions) { o.ContentBytes = 1 << 20 }},
		{name: "nobody publishes content", caught: "X10 a publisher sends the content of a topic",
			options: func(o *hub.FrontOptions) { o.Publisher = nil }},
		{name: "any secret is that of the owner", caught: "X06 others do not list and replay",
			request: reads(func(f url.Values) {
				if f.Get("hub.mode") == "list" {
					f.Set("hub.secret", "hush")
				}
			})},
		{name: "pages show strangers the subscriptions", caught: "X11 the owner of a callback sees its subscriptions on a page",
			request: reads(func(f url.Values) { f.Set("hub.secret", "hush") })},
		{name: "pages are for programs, too", caught: "X11 the owner of a callback sees its subscriptions on a page",
			request: func(_ *harness, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					req.Header.Set("Accept", "text/html")
					next.ServeHTTP(w, req)
				})
			}},
		{name: "badges need an option that is off", caught: "X09 a badge has the number of subscribers",
			options: func(o *hub.FrontOptions) { o.Badges = false }},
		{name: "badges count something else", caught: "X09 a badge has the number of subscribers",
			request: answers(func(status int, _ http.Header, body string) (int, string) {
				return status, strings.ReplaceAll(body, "subscribers: 11", "subscribers: 1")
			})},
		{name: "tests are not marked", caught: "X08 the owner of a callback gets a test",
			call: sends(http.MethodPost, func(req *http.Request) { req.Header.Del("X-Feedwire-Test") })},
		{name: "strangers get tests", caught: "X08 others get no test",
			request: reads(func(f url.Values) {
				if f.Get("hub.mode") == "test" {
					f.Set("hub.secret", "hush")
				}
			})},
		{name: "replays are not marked", caught: "X06 the owner of a callback lists and replays with the secret",
			call: sends(http.MethodPost, func(req *http.Request) { req.Header.Del("X-Feedwire-Replay") })},
		{name: "all versions are replayed", caught: "X03 a trusted client replays the newest delivery",
			request: reads(func(f url.Values) {
				if f.Get("hub.mode") == "replay" {
					f.Set("count", "50")
				}
			})},
		{name: "the number of readers is not stored", caught: "C06 a subscriber can report its number of readers",
			settle: func(s *feed.DeliveryResult) { s.Readers = 0 }},
		{name: "each attempt has another id", caught: again,
			call: sends(http.MethodPost, func(req *http.Request) { req.Header.Set("X-Feedwire-Delivery", time.Now().String()) })},
		{name: "each version has the same id", caught: again, call: header("X-Feedwire-Delivery", "the one")},
		{name: "a response with a body is a failure", caught: "H29 D10 the body of a response is ignored",
			call: hears(http.MethodPost, func(_ *http.Request, resp *http.Response) {
				if body, _ := io.ReadAll(resp.Body); len(body) > 0 {
					resp.StatusCode = http.StatusBadGateway
				}
			})},
		{name: "the signature is over other bytes", caught: signature,
			call: sendsBody(func(_ http.Header, body []byte) []byte { return append(body, '\n') })},
		{name: "the signature is missing", caught: signature, call: header(websub.SignatureHeader, "")},
		{name: "everything is signed", caught: signature, call: signed(websub.SHA256, "")},
		{name: "everything is signed by SHA-1", caught: "H32 the subscriber may choose sha512", call: signed(websub.SHA1, "s3cret")},
		{name: "the chosen method is ignored", caught: "H32 the subscriber may choose sha384",
			add: func(r *feed.HubRequest) { r.Method = "" }},
		{name: "secrets are truncated", caught: "H32 D12 secrets are arbitrary bytes",
			add: func(r *feed.HubRequest) { r.Secret = r.Secret[:min(len(r.Secret), 128)] }},
		{name: "spaces of secrets are removed", caught: "H32 D12 secrets are arbitrary bytes",
			add: func(r *feed.HubRequest) { r.Secret = strings.TrimSpace(r.Secret) }},
		{name: "versions arrive in the wrong order", caught: "D15 versions arrive in order",
			version: func() func(*feed.Distribution) {
				var before string
				return func(d *feed.Distribution) {
					now := string(d.Body)
					d.Body = []byte(before)
					before = now
				}
			}()},
		{name: "a subscriber of one topic gets another", caught: "H33 D13 a subscriber gets no deliveries of other topics",
			call: sends(http.MethodPost, func(req *http.Request) { req.URL.Path = "/cb" })},
		{name: "the body is of another version", caught: "R103 subscribing again",
			version: func(d *feed.Distribution) { d.Body = []byte("<feed>quote 1</feed>") }},
	}
}
