package feed

import "time"

// Topic is what can be subscribed to at the hub: the feed_url of a source, one of our own feeds, or whatever else the
// daemon gives a URL. It is known from its first subscription to the end of its last one.
type Topic struct {
	ID          string    // TopicID(URL)
	URL         string    //
	Version     int64     // of the newest distribution; rising, never used twice
	Changed     time.Time // when that was made; zero: nothing was distributed yet
	Subscribers int       //
	Waiting     int       // of them, with a distribution on its way
}

// TopicID is the short name of a topic in keys, paths and delivery ids; that of a source's feed_url is the source's.
func TopicID(url string) string { return SourceID(url) }

// Distribution is news of a topic for each of its subscribers (WebSub section 7): one version of it.
type Distribution struct {
	Topic       string    // URL
	Version     int64     // given by the store
	ContentType string    // of Body
	Body        []byte    //
	Whole       bool      // Body is all that the topic has, so that nobody needs the versions before it
	Entries     int       // in Body; 0: not known
	Time        time.Time // when it was made
}

// HubView is what a page shows of the hub.
type HubView struct {
	Counts        HubState       // without Lag
	Topics        []Topic        // all, in no order
	Subscriptions []Subscription // some, in the order of their ids; Next is not told
	More          bool           // there are more behind those
}
