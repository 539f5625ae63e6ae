package hub

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// record is the JSON of a subscription. There may be very many, so it repeats nothing that other keys hold.
type record struct {
	Topic    string                `json:"topic"` // id
	Callback string                `json:"url"`
	Way      feed.SubscriptionKind `json:"way,omitempty"` // empty: feed.KindWebSub
	Secret   string                `json:"secret,omitempty"`
	Bytes    []byte                `json:"secret_bytes,omitempty"` // instead of a secret that a JSON string cannot hold
	Method   string                `json:"method,omitempty"`
	JSON     bool                  `json:"json,omitempty"`
	Filter   string                `json:"filter,omitempty"`
	Lease    int64                 `json:"lease,omitempty"` // seconds
	Since    json.Number           `json:"since"`           // Unix seconds, to the millisecond
}

// recordText returns the record of a subscription.
func recordText(sub *feed.Subscription) string {
	r := record{
		Topic: feed.TopicID(sub.Topic), Callback: sub.Callback, Way: sub.Kind, Secret: sub.Secret, Method: sub.Method,
		JSON: sub.Form.JSON, Filter: sub.Form.Filter, Lease: int64(sub.Lease / time.Second), Since: json.Number(core.Stamp(sub.Since)),
	}
	if !utf8.ValidString(sub.Secret) {
		r.Secret, r.Bytes = "", []byte(sub.Secret)
	}
	if r.Way == feed.KindWebSub {
		r.Way = ""
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // an & in a URL would take six bytes
	_ = encoder.Encode(r)        //nolint:gosec // always encodes; the secret is needed to sign deliveries
	return strings.TrimSuffix(text.String(), "\n")
}

func recordFrom(id, text string) (record, error) {
	var r record
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("subscription %s: %w", id, err)
	}
	return r, nil
}

// subscription returns the subscription of a record. Its Topic is still an id.
func (r *record) subscription(id, healthText string) feed.Subscription {
	sub := feed.Subscription{
		ID: id, Topic: r.Topic, Callback: r.Callback, Kind: r.Way, Secret: r.Secret + string(r.Bytes), Method: r.Method,
		Form: feed.Form{JSON: r.JSON, Filter: r.Filter}, Lease: time.Duration(r.Lease) * time.Second, Since: feed.ParseTime(r.Since.String()),
	}
	if sub.Kind == "" {
		sub.Kind = feed.KindWebSub
	}
	if sub.Lease > 0 {
		sub.Until = sub.Since.Add(sub.Lease)
	}
	var h health
	if healthText != "" && json.Unmarshal([]byte(healthText), &h) == nil {
		sub.Health = feed.Health{
			Failures: h.Failures, Since: time.UnixMilli(h.Since).UTC(), Last: time.UnixMilli(h.Last).UTC(), Status: h.Status,
			Reason: h.Reason,
		}
	}
	return sub
}

// health is the JSON of the last failure of a subscription.
type health struct {
	Failures int    `json:"failures"`
	Since    int64  `json:"since"` // Unix milliseconds
	Last     int64  `json:"last"`
	Status   int    `json:"status,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

func healthText(h *feed.Health) string {
	text, _ := json.Marshal(health{h.Failures, h.Since.UnixMilli(), h.Last.UnixMilli(), h.Status, h.Reason}) // always encodes
	return string(text)
}

// storedRequest is the JSON of a request. The secret may be any bytes, which a JSON string cannot hold.
type storedRequest struct {
	Mode        feed.HubMode `json:"mode"`
	Topic       string       `json:"topic"`
	As          string       `json:"as,omitempty"`
	Callback    string       `json:"callback"`
	Secret      []byte       `json:"secret,omitempty"`
	Method      string       `json:"method,omitempty"`
	JSON        bool         `json:"json,omitempty"`
	Filter      string       `json:"filter,omitempty"`
	Lease       int64        `json:"lease,omitempty"` // seconds
	VerifyToken string       `json:"verify_token,omitempty"`
	Reason      string       `json:"reason,omitempty"`
}

// requestText returns what a request asks for, by which a repetition is recognised, and its progress: when it was made, its lane, its
// client and the number of tries. Scripts read the first and the last.
func requestText(r *feed.HubRequest) (what, progress string) {
	text, _ := json.Marshal(storedRequest{ // always encodes
		Mode: r.Mode, Topic: r.Topic, As: r.RequestedTopic, Callback: r.Callback, Secret: []byte(r.Secret), Method: r.Method,
		JSON: r.Form.JSON, Filter: r.Form.Filter, Lease: int64(r.Lease / time.Second), VerifyToken: r.VerifyToken, Reason: r.Reason,
	})
	words := []string{core.Stamp(r.Created)}
	if r.Client != "" || r.Lane != 0 { // requests of earlier versions have neither
		words = append(words, strconv.Itoa(int(r.Lane)), r.Client)
	}
	return string(text), strings.Join(append(words, strconv.Itoa(r.Tries)), " ")
}

// requestValue returns the value of a request in the hash.
func requestValue(r *feed.HubRequest) string {
	what, progress := requestText(r)
	return what + "\n" + progress
}

func requestFrom(id, value string) (feed.HubRequest, error) {
	what, progress, _ := strings.Cut(value, "\n")
	var r storedRequest
	if err := json.Unmarshal([]byte(what), &r); err != nil {
		return feed.HubRequest{}, fmt.Errorf("request %s: %w", id, err)
	}
	request := feed.HubRequest{
		ID: id, Mode: r.Mode, Topic: r.Topic, RequestedTopic: r.As, Callback: r.Callback, Secret: string(r.Secret), Method: r.Method,
		Form: feed.Form{JSON: r.JSON, Filter: r.Filter}, Lease: time.Duration(r.Lease) * time.Second, VerifyToken: r.VerifyToken, Reason: r.Reason,
	}
	words := strings.Split(progress, " ")
	request.Created = feed.ParseTime(words[0])
	request.Tries, _ = strconv.Atoi(words[len(words)-1]) // absent: 0
	if len(words) == 4 {
		lane, _ := strconv.Atoi(words[1])
		request.Lane, request.Client = feed.HubLane(lane), words[2]
	}
	return request, nil
}
