package hub

import (
	"cmp"
	"fmt"
	"time"
)

// about returns what the hub says about itself.
func (f *Front) about() string {
	opts, topics := f.current.Load(), "Topics are the feeds that name this hub with rel=\"hub\", by the URL of their rel=\"self\"."
	if opts.AddTopic != nil {
		topics += "\nA subscription to another document adds that: a feed, or a page, image or text of any content type."
	}
	others := ""
	if len(opts.TopicLeases) > 0 {
		others = "; other values for some topics"
	}
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	return fmt.Sprintf(`This is a WebSub hub (https://www.w3.org/TR/websub/).

%[2]s

Subscribe:

    curl %[1]s -d hub.mode=subscribe -d hub.topic=TOPIC -d hub.callback=CALLBACK

    hub.secret                signs the deliveries; optional, less than 200 bytes
    hub.lease_seconds         from %[3]d to %[4]d; default %[5]d%[6]s
    hub.signature_algorithm   sha1, sha256, sha384 or sha512; optional
    hub.format                json: news of a feed comes as JSON Feed; optional
    hub.filter                a rule for entries, as category=News or !title=ferry; optional, repeatable

The response is 202. The hub then sends a GET to the callback. Answer 200 with the value of its parameter
hub.challenge as the body to confirm, or 404 to refuse. News arrives as POST. Answer 2xx within a few seconds;
otherwise the hub retries. Subscribe again before the lease ends.

Unsubscribe: the same with hub.mode=unsubscribe.

List your subscriptions with their last deliveries, get the last delivery again, and get a test. All require the secret:

    curl %[1]s -d hub.mode=list -d hub.callback=CALLBACK -d hub.secret=SECRET
    curl %[1]s -d hub.mode=replay -d hub.topic=TOPIC -d hub.callback=CALLBACK -d hub.secret=SECRET
    curl %[1]s -d hub.mode=test -d hub.topic=TOPIC -d hub.callback=CALLBACK -d hub.secret=SECRET

Publish, if a topic has news:

    curl %[1]s -d hub.mode=publish -d hub.url=TOPIC

Publish the content of a topic, with a token of this hub that may change sources:

    curl '%[1]s?hub.mode=publish&hub.url=TOPIC' --data-binary @FILE -H 'Content-Type: TYPE' -H 'Authorization: Bearer TOKEN'
`, cmp.Or(f.opts.URL, "THIS-URL"), topics, seconds(opts.MinLease), seconds(opts.MaxLease), seconds(opts.DefaultLease), others)
}
