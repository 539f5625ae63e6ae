package hub

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what the pages and the API of the hub need. Implementations must be safe for concurrent use. Methods return
// feed.ErrUnavailable if the store cannot answer now, and feed.ErrNotFound if a subscription or a dead letter does not exist.
type Store interface {
	// HubState counts subscriptions and pending deliveries.
	HubState(ctx context.Context) (feed.HubState, error)
	// HubView returns the counts of HubState, all topics in the order of their URLs, and a page of subscriptions as Subscriptions
	// does, without Next.
	HubView(ctx context.Context, topicID, after string, limit int) (feed.HubView, error)
	// Topics returns all topics with subscribers, in the order of their URLs.
	Topics(ctx context.Context) ([]feed.Topic, error)
	// TopicHistory returns a topic by its id, with its last versions and its subscribers by the day. feed.ErrNotFound: it has no
	// subscriptions.
	TopicHistory(ctx context.Context, id string) (feed.TopicHistory, error)
	// Subscriptions returns up to limit subscriptions in the order of their ids, after the id after ("": from the first). topicID selects
	// a topic; empty: all.
	Subscriptions(ctx context.Context, topicID, after string, limit int) ([]feed.Subscription, error)
	// Subscription returns a subscription by its id.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
	// SubscriptionView returns a subscription by its id, with what Attempts returns.
	SubscriptionView(ctx context.Context, id string) (feed.Subscription, []feed.Attempt, error)
	// Attempts returns the last attempts to deliver to a subscription, newest first.
	Attempts(ctx context.Context, id string) ([]feed.Attempt, error)
	// DeadLetters returns up to limit dead letters before the id before ("": from the newest), newest first.
	DeadLetters(ctx context.Context, before string, limit int) ([]feed.DeadLetter, error)
	// ResendSubscription sends the newest version of the topic again. feed.ErrConflict: nothing was distributed yet.
	ResendSubscription(ctx context.Context, id string) error
	// DeadLetter returns the dead letter with an id.
	DeadLetter(ctx context.Context, id string) (feed.DeadLetter, error)
	// ReplayDeadLetter sends the topic again from the first missed version and removes the dead letter.
	ReplayDeadLetter(ctx context.Context, id string) error
	// PauseSubscription stops deliveries until ResumeSubscription. New versions wait.
	PauseSubscription(ctx context.Context, id string) error
	// ResumeSubscription ends a pause. It is a no-op if the subscription is not paused.
	ResumeSubscription(ctx context.Context, id string) error
	// AddHubRequest stores a request that is due at once. feed.ErrConflict: most requests of the subscription are pending.
	AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error
	// Subscribe creates or renews a subscription without verification. It sets sub.ID and sub.Since.
	Subscribe(ctx context.Context, sub *feed.Subscription) error
	// Unsubscribe ends a subscription without notifying the subscriber.
	Unsubscribe(ctx context.Context, id string) error
}
