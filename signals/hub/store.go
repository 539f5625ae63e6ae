package hub

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// RequestStore is what front and verification need of the store. Every method may be called concurrently, by several
// daemons too. An error that is feed.ErrUnavailable means "not now".
type RequestStore interface {
	// AddHubRequest writes a request down, due at once. One that waits already in the same words is not written twice; where
	// it has failed it is due at once again. feed.ErrConflict: the subscription has most requests of any mode that wait.
	AddHubRequest(ctx context.Context, r feed.HubRequest, most int) error
	// ClaimHubRequests claims up to limit requests that are due, the one due longest first, and says when the next one is
	// due; zero: none is. Nobody else gets them until the lease ends; then they are due again.
	ClaimHubRequests(ctx context.Context, limit int, lease time.Duration) ([]feed.HubRequest, time.Time, error)
	// ReclaimHubRequests makes due at once what this daemon had claimed when it was last killed, and says how many there were.
	ReclaimHubRequests(ctx context.Context) (int, error)
	// HubRequests are the requests of a subscription that are not carried out yet, in no order.
	HubRequests(ctx context.Context, subscription string) ([]feed.HubRequest, error)
	// DelayHubRequest makes a request due at a later time, with one more try. A request that is gone stays so.
	DelayHubRequest(ctx context.Context, r feed.HubRequest, until time.Time) error
	// PostponeHubRequest makes a request due at a later time without counting a try. A request that is gone stays so.
	PostponeHubRequest(ctx context.Context, r feed.HubRequest, until time.Time) error
	// DropHubRequest forgets a request; the subscription stays as it was.
	DropHubRequest(ctx context.Context, r feed.HubRequest) error
	// GrantHubRequest carries a request out and forgets it, in one step. A subscription is written as the request says,
	// from now until the lease ends (0: for ever): where it exists its place in the topic stays, a new one begins with the
	// next version. Unsubscribe and denied end it. Requests of the same subscription that were asked before are forgotten
	// too: the newest wish holds. feed.ErrNotFound: somebody has carried it out, or dropped it.
	GrantHubRequest(ctx context.Context, r feed.HubRequest, from time.Time) error
	// HubCounts counts what is bounded, for a topic and a callback.
	HubCounts(ctx context.Context, topic, callback string) (feed.HubCounts, error)
	// Subscription is the one with this id. feed.ErrNotFound: there is none.
	Subscription(ctx context.Context, id string) (feed.Subscription, error)
}

// Store is what the engine needs of the store. Every method may be called concurrently, by several daemons too. An error
// that is feed.ErrUnavailable means "not now".
type Store interface {
	// BareSignals returns at most limit signals after the one with id after ("" for the oldest kept), oldest first, without
	// their posts. Where there are none it waits up to wait for the first one.
	BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// LoadPosts puts the posts of signals into them, as they are now.
	LoadPosts(ctx context.Context, signals []feed.Signal) error
	// HubCursor is the id of the last signal that was distributed; empty: none was.
	HubCursor(ctx context.Context) (string, error)
	// HaveSubscribers says for each topic whether somebody subscribes to it.
	HaveSubscribers(ctx context.Context, topics []string) ([]bool, error)
	// Distribute makes new versions of topics and moves the cursor from one signal to a later one, all or nothing. Topics
	// without subscribers are left out. feed.ErrConflict: the cursor is elsewhere; somebody has done it.
	Distribute(ctx context.Context, from, to string, all []feed.Distribution) error
	// DistributeServed makes a new version of a topic unless its newest one has the same type and body, and reports
	// whether it did.
	DistributeServed(ctx context.Context, d feed.Distribution) (bool, error)
	// Version is one version of a topic, or its newest where that one is kept no more. feed.ErrNotFound: nothing is kept.
	Version(ctx context.Context, topic string, version int64) (feed.Distribution, error)
	// PlanDeliveries queues up to limit subscriptions that have a version to get and do not know yet, and says how many,
	// and whether there are more. What was planned stays planned whatever happens to the caller.
	PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error)
	// ClaimDeliveries claims deliveries that are due, and says behind which subscription to go on, and when the next one
	// will be due (zero: none). Nobody else gets a claimed one until its fence; then it is due again. A
	// subscription is claimed once at a time, so that its versions come in order.
	ClaimDeliveries(ctx context.Context, w feed.Wanted) (all []feed.Delivery, after string, next time.Time, err error)
	// SettleDeliveries ends claims, and says how many of them were lost before: nothing is written for those; and how many
	// subscriptions have a next version to get at once. A failed delivery without a next try leaves a dead letter of all
	// versions up to the newest.
	SettleDeliveries(ctx context.Context, all []feed.Settlement) (lost, again int, err error)
	// RemoveSubscription ends a subscription under a claim; whether it still was there does not matter.
	// feed.ErrLeaseLost: the claim was lost; nothing is written.
	RemoveSubscription(ctx context.Context, d feed.Delivery) error
	// EndSubscriptions ends up to limit subscriptions whose lease is over, and says how many.
	EndSubscriptions(ctx context.Context, limit int) (int, error)
	// HubState counts the work that waits.
	HubState(ctx context.Context) (feed.HubState, error)
}
