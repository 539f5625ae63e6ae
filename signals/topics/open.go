package topics

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// OpenStore stores open topics: documents of any content type that subscribers or publishers made topics.
type OpenStore interface {
	// AddOpenTopic adds an open topic whose next check is due at a time. It is a no-op if the topic exists. feed.ErrConflict:
	// there are too many topics.
	AddOpenTopic(ctx context.Context, t feed.OpenTopic, due time.Time, limits feed.OpenTopicLimits) error
	// OpenTopic returns an open topic. feed.ErrNotFound: it does not exist.
	OpenTopic(ctx context.Context, url string) (feed.OpenTopic, error)
	// OpenTopics returns all open topics.
	OpenTopics(ctx context.Context) ([]feed.OpenTopic, error)
	// OpenTopicCounts returns the number of open topics and the bytes of their stored documents.
	OpenTopicCounts(ctx context.Context) (topics int, bytes int64, err error)
	// RefreshOpenTopic makes the check of an open topic due at a time, or when it is due anyway if that is earlier. If the topic
	// is being checked, it is checked again afterwards.
	RefreshOpenTopic(ctx context.Context, url string, due time.Time) error
	// ClaimOpenTopics claims up to limit open topics whose check is due, and returns when the next one is due, or zero. A check
	// that is not finished when its claim ends is due again.
	ClaimOpenTopics(ctx context.Context, limit int, lease time.Duration) ([]feed.OpenTopic, time.Time, error)
	// ReserveOpenTopic stores a claimed topic with the size of a document, before that is distributed. feed.ErrLeaseLost: the
	// claim has ended; feed.ErrConflict: the documents of all topics would have too many bytes. Nothing was written then.
	ReserveOpenTopic(ctx context.Context, t feed.OpenTopic, bytes int, limits feed.OpenTopicLimits) error
	// ReserveContent stores the size of a document of an open topic that its publisher sent, before that is distributed.
	// feed.ErrNotFound: the topic does not exist; feed.ErrConflict: the documents of all topics would have more than limit bytes.
	ReserveContent(ctx context.Context, url string, bytes int, limit int64) error
	// FinishOpenTopic stores a claimed topic and ends the claim. It is a no-op if the claim has ended.
	FinishOpenTopic(ctx context.Context, t feed.OpenTopic, due time.Time) error
	// ForgetOpenTopic removes an open topic, not its subscriptions. It is a no-op if it does not exist.
	ForgetOpenTopic(ctx context.Context, url string) error
	// DistributeServed creates a version of a topic unless the newest one has the same type and body, or the topic has no
	// subscribers, and reports whether it did.
	DistributeServed(ctx context.Context, d feed.Distribution) (bool, error)
}

// OpenOptions are the settings of open topics.
type OpenOptions struct {
	Topics    int           // maximum of open topics and of sources that subscribers added; 0: there are none
	Bytes     int64         // maximum of the stored documents of all open topics
	Interval  time.Duration // between two checks of a topic
	HostDelay time.Duration // between two checks of one host, on average
	Hosts     []string      // hosts, with their subdomains, whose documents may be open topics; empty: any
	Full      bool          // whether subscribers of a source that a subscriber added receive its document unchanged
}

// sumOf identifies the type and the bytes of a document.
func sumOf(d *feed.OpenDocument) string {
	h := sha256.New()
	h.Write([]byte(d.ContentType + "\n"))
	h.Write(d.Body)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// open returns the settings of open topics.
func (c *Catalog) open() OpenOptions {
	if c.opts.Open == nil {
		return OpenOptions{}
	}
	return c.opts.Open()
}

// limits returns the limits of open topics if there are also added sources.
func (o *OpenOptions) limits(added int) feed.OpenTopicLimits {
	return feed.OpenTopicLimits{Topics: o.Topics - added, Bytes: o.Bytes}
}

// allows reports whether the document at a URL may be an open topic.
func (o *OpenOptions) allows(topic string) bool {
	u, err := url.Parse(topic)
	return err == nil && o.Topics > 0 && (len(o.Hosts) == 0 || slices.ContainsFunc(o.Hosts, func(host string) bool {
		return u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host)
	}))
}

// resolveOpen returns the name of the open topic with a URL. feed.ErrNotFound: there is none, or it is no longer allowed.
func (c *Catalog) resolveOpen(ctx context.Context, topic string) (string, error) {
	opts := c.open()
	if !opts.allows(topic) {
		return "", fmt.Errorf("topic: %w", feed.ErrNotFound)
	}
	t, err := c.store.OpenTopic(ctx, topic)
	return t.Name(), err
}

// AddTopic adds the topic with a URL, for FrontOptions.AddTopic: a source if the document is a feed, otherwise an open topic. Its error
// is sent to the subscriber.
func (c *Catalog) AddTopic(ctx context.Context, topic string) error {
	opts := c.open()
	switch _, err := c.ResolveTopic(ctx, topic); {
	case !errors.Is(err, feed.ErrNotFound):
		return hideReason(err)
	case !opts.allows(topic):
		return errors.New("the hub accepts no topics of this host")
	case c.isBelowPublicURL(topic):
		return errors.New("the topic is not distributed here")
	}
	doc, err := c.opts.Fetch(ctx, &feed.OpenTopic{URL: topic})
	if err != nil || doc.Feed {
		return c.addSource(ctx, topic, err)
	}
	return c.addOpen(ctx, topic, c.canonicalOf(ctx, topic, &doc), &doc)
}

// isBelowPublicURL reports whether a URL is one of this installation, now or formerly.
func (c *Catalog) isBelowPublicURL(topic string) bool {
	return slices.ContainsFunc(append(c.FormerURLs(), c.opts.PublicURL), func(url string) bool {
		return url != "" && strings.HasPrefix(topic, url+"/")
	})
}

// canonicalOf returns the topic that a document names as its rel=self, and adds it if it is unknown. It returns "" if that is the
// topic itself, or cannot be a topic.
func (c *Catalog) canonicalOf(ctx context.Context, topic string, doc *feed.OpenDocument) string {
	self, err := feed.CanonicalURL(doc.Self)
	if doc.Self == "" || err != nil || self == topic {
		return ""
	}
	if known, err := c.ResolveTopic(ctx, self); !errors.Is(err, feed.ErrNotFound) {
		return known
	}
	opts := c.open()
	if !opts.allows(self) || c.isBelowPublicURL(self) {
		return ""
	}
	other, err := c.opts.Fetch(ctx, &feed.OpenTopic{URL: self})
	switch {
	case err != nil || other.Self != "" && other.Self != doc.Self: // it would name a third one
		return ""
	case other.Feed:
		err = c.addSource(ctx, self, nil)
	default:
		err = c.addOpen(ctx, self, "", &other)
	}
	if err != nil {
		return ""
	}
	return self
}

// addOpen adds an open topic. What it has now is not news.
func (c *Catalog) addOpen(ctx context.Context, topic, canonical string, doc *feed.OpenDocument) error {
	c.adding.Lock()
	defer c.adding.Unlock()
	added, err := c.added(ctx)
	if err != nil {
		return hideReason(err)
	}
	now, opts := c.opts.Now(), c.open()
	t := feed.OpenTopic{URL: topic, Canonical: canonical, Sum: sumOf(doc), Checked: now}
	t.ETag, t.LastModified, t.Validated = doc.ETag, doc.LastModified, doc.Validated
	err = c.store.AddOpenTopic(ctx, t, now.Add(opts.Interval), opts.limits(len(added)))
	if errors.Is(err, feed.ErrConflict) {
		return errTooManyTopics
	}
	return hideReason(err)
}

// refreshOpen makes an open topic due, but not sooner than a moment after its last check.
func (c *Catalog) refreshOpen(ctx context.Context, topic string) error {
	t, err := c.store.OpenTopic(ctx, topic)
	if err != nil {
		return err
	}
	due := c.opts.Now()
	if rested := t.Checked.Add(openRest); rested.After(due) {
		due = rested
	}
	return c.store.RefreshOpenTopic(ctx, topic, due)
}

// openDocument returns the present document of an open topic.
func (c *Catalog) openDocument(ctx context.Context, topic string, selected feed.EntryRange) (feed.Distribution, error) {
	if _, err := c.store.OpenTopic(ctx, topic); err != nil {
		return feed.Distribution{}, err
	}
	if (selected != feed.EntryRange{}) {
		return feed.Distribution{}, fmt.Errorf("this topic has no entries: %w", feed.ErrConflict)
	}
	doc, err := c.opts.Fetch(ctx, &feed.OpenTopic{URL: topic})
	return feed.Distribution{Topic: topic, ContentType: doc.ContentType, Body: doc.Body}, err
}
