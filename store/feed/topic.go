package feed

import (
	"cmp"
	"time"
)

// Topic is a URL that has subscribers at the hub: the feed URL of a source, the URL of one of the feeds of this daemon, or
// the topic of a signal filter.
type Topic struct {
	ID          string    `json:"id"` // TopicID(URL)
	URL         string    `json:"url"`
	Version     int64     `json:"version"`          // of the newest distribution; increasing
	Changed     time.Time `json:"changed,omitzero"` // time of the newest distribution; zero: none
	Subscribers int       `json:"subscribers"`      // without the hubs in hub.ping
	Waiting     int       `json:"waiting"`          // of them, with versions to deliver
}

// TopicHistory is a topic with its last versions and its subscribers over time.
type TopicHistory struct {
	Topic
	Versions []TopicVersion `json:"versions"` // newest first
	Days     []TopicDay     `json:"days"`     // oldest first; without those on which the subscribers were not counted
}

// TopicVersion is a version of a topic, and how many attempts to deliver it had which result.
type TopicVersion struct {
	Version   int64          `json:"version"`
	Time      time.Time      `json:"time"`              // of its creation
	Size      int            `json:"size"`              // of its body, in bytes
	Entries   int            `json:"entries,omitempty"` // in its body; 0: unknown
	Delivered int            `json:"delivered"`         // attempts that the subscriber accepted
	Failed    int            `json:"failed"`            // deliveries that failed permanently
	Causes    map[string]int `json:"causes,omitempty"`  // failed attempts by Attempt.Reason
}

// TopicDay is the number of subscribers on a day.
type TopicDay struct {
	Day         string `json:"day"` // "2026-11-20", in UTC
	Subscribers int    `json:"subscribers"`
}

// TopicID returns the short id of a topic in keys, paths and delivery ids. For a feed URL it is the SourceID.
func TopicID(url string) string { return SourceID(url) }

// Distribution is one version of a topic, for all of its subscribers (WebSub section 7).
type Distribution struct {
	Topic       string    // URL
	Version     int64     // set by the store
	ContentType string    // of Body
	Body        []byte    //
	Whole       bool      // Body contains everything that the topic has and replaces earlier versions
	Posts       []string  // ids of the entries in Body, unless Whole
	Entries     int       // in Body; 0: unknown
	Time        time.Time // of its creation
}

// EntryRange selects entries of a topic. The zero value selects the document as it is.
type EntryRange struct {
	Count  int    // at most, up to 50; 0: the topic decides
	Before string // id of an entry in the feed: only older entries; empty: all
	After  string // id of an entry in the feed: only newer entries, the oldest of them first; empty: all
}

// OpenTopic is a document of any content type that subscribers or publishers made a topic by naming its URL.
type OpenTopic struct {
	URL          string    `json:"url"`
	Canonical    string    `json:"canonical,omitempty"` // the topic that the document names as rel=self; empty: URL
	Sum          string    `json:"sum,omitempty"`       // of the type and the bytes of the last document that was distributed
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"`
	Validated    string    `json:"validated,omitempty"` // URL of ETag and LastModified
	Checked      time.Time `json:"checked,omitzero"`    // end of the last check
	Failures     int       `json:"failures,omitempty"`  // consecutive failed checks
	Claim        time.Time `json:"-"`                   // when the claim of a check ends
}

// Name returns the URL under which the topic is subscribed to and distributed.
func (t *OpenTopic) Name() string { return cmp.Or(t.Canonical, t.URL) }

// OpenDocument is the document of an open topic.
type OpenDocument struct {
	NotModified                   bool // the topic has the validators of the document, which was not sent
	ContentType                   string
	Body                          []byte
	Self                          string // if the topic was never checked: URL of its rel=self link; empty: none
	Feed                          bool   // if the topic was never checked: it is a feed that can be polled
	ETag, LastModified, Validated string // see OpenTopic
}

// maxTopicType bounds the Content-Type of an open topic, in bytes.
const maxTopicType = 255

// TopicType returns the Content-Type of an open topic whose document has a Content-Type, or none.
func TopicType(contentType string) string {
	if contentType == "" || len(contentType) > maxTopicType {
		return "application/octet-stream"
	}
	return contentType
}

// OpenTopicLimits bound the open topics of all daemons together.
type OpenTopicLimits struct {
	Topics int
	Bytes  int64 // of their stored documents
}

// HubView contains what the page of subscriptions shows.
type HubView struct {
	Counts        HubState       // without Lag
	Topics        []Topic        // all, unsorted
	Subscriptions []Subscription // one page, sorted by id; without Next
	More          bool           // there are more pages
}
