package hub

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// RequestStore is what a Front needs. Implementations must be safe for concurrent use by several daemons. All methods may
// return feed.ErrUnavailable: retry later.
type RequestStore interface {
	// AddHubRequest stores a request and makes it due now. An identical pending request is not stored twice, but becomes due
	// now if it has failed. feed.ErrConflict: the subscription already has limit pending requests.
	AddHubRequest(ctx context.Context, r feed.HubRequest, limit int) error
	// ClaimHubRequests leases up to limit due requests, the oldest first, and returns the time at which the next one is due,
	// or zero. A request that is still stored when its lease ends is due again.
	ClaimHubRequests(ctx context.Context, limit int, lease time.Duration) ([]feed.HubRequest, time.Time, error)
	// ReclaimHubRequests ends the leases of an earlier process of this daemon that was killed, and returns how many there
	// were.
	ReclaimHubRequests(ctx context.Context) (int, error)
	// HubRequests returns the pending requests of a subscription in no particular order.
	HubRequests(ctx context.Context, subscription string) ([]feed.HubRequest, error)
	// RetryHubRequest makes a request due at a later time and stores the number of failed attempts. It is a no-op if the request is
	// gone.
	RetryHubRequest(ctx context.Context, r feed.HubRequest, tries int, due time.Time) error
	// DropHubRequest deletes a request and leaves the subscription as it is.
	DropHubRequest(ctx context.Context, r feed.HubRequest) error
	// GrantHubRequest applies a request and deletes it, atomically. Subscribe creates or renews the subscription from the
	// given time until its lease ends (0: no end); a renewed subscription keeps its position in the topic, a new one starts
	// with the next version. Unsubscribe and denied end the subscription. Earlier requests of the same subscription are
	// deleted. feed.ErrNotFound: the request was already granted or dropped.
	GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error
	// ReplaySubscription delivers the newest versions of its topic to a subscription again, up to count. feed.ErrNotFound: the
	// subscription does not exist; feed.ErrConflict: the topic has no version.
	ReplaySubscription(ctx context.Context, id string, count int) error
	// HubCounts returns the numbers that Limits apply to, for a request.
	HubCounts(ctx context.Context, r *feed.HubRequest) (feed.HubCounts, error)
	// Topics returns all topics with subscriptions.
	Topics(ctx context.Context) ([]feed.Topic, error)
	// Subscriptions returns up to limit subscriptions of the topic with an id, after the subscription with the id after ("" for the
	// first).
	Subscriptions(ctx context.Context, topicID, after string, limit int) ([]feed.Subscription, error)
	// SubscriptionsOf returns the subscriptions of a callback.
	SubscriptionsOf(ctx context.Context, callback string) ([]feed.Subscription, error)
	// Attempts returns the last attempts to deliver to a subscription, newest first. feed.ErrNotFound: it does not exist.
	Attempts(ctx context.Context, id string) ([]feed.Attempt, error)
	// Unsubscribe ends a subscription. feed.ErrNotFound: it does not exist.
	Unsubscribe(ctx context.Context, id string) error
	// Subscription returns a subscription. feed.ErrNotFound: it does not exist.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
}
