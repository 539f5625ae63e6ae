package delivery

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Store is what an Engine needs. Implementations must be safe for concurrent use by several daemons. All methods may
// return feed.ErrUnavailable: retry later.
type Store interface {
	// BareSignals returns up to limit signals after the given id ("" for the oldest stored), oldest first and without their
	// posts. If there are none it waits up to wait for the first one.
	BareSignals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error)
	// LoadPosts adds the posts to signals, in their current state.
	LoadPosts(ctx context.Context, signals []feed.Signal) error
	// HubProgress returns how far the outbox is distributed.
	HubProgress(ctx context.Context) (feed.HubProgress, error)
	// HaveSubscribers reports for each topic whether it has subscribers.
	HaveSubscribers(ctx context.Context, topics []string) ([]bool, error)
	// FilterTopics returns the topics of webhooks that have subscribers.
	FilterTopics(ctx context.Context) ([]string, error)
	// Distribute creates versions of topics with a step of the progress, atomically, and queues their first deliveries. It ignores
	// topics without subscribers. For a distribution without a type it deletes the newest version if that is whole: its deliveries end.
	// feed.ErrConflict: another daemon has made a step.
	Distribute(ctx context.Context, step feed.HubStep, all []feed.Distribution) error
	// DistributeServed creates a version of a topic as Distribute does, unless the newest one has the same type and body, and reports whether it
	// did.
	DistributeServed(ctx context.Context, d feed.Distribution) (bool, error)
	// Version returns a version of a topic, or the newest one if that version is no longer stored. feed.ErrNotFound: no
	// version is stored.
	Version(ctx context.Context, topic string, version int64) (feed.Distribution, error)
	// RedactVersions removes an entry from stored versions of a topic, from the version before the given one downwards; 0 begins with
	// the newest. It replaces their bodies by what redact returns, and deletes a version for which redact fails. It returns the
	// version before which the next call continues; 0: there are no more.
	RedactVersions(ctx context.Context, topic, entry string, before int64, redact func(body []byte) ([]byte, error)) (int64, error)
	// PlanDeliveries queues up to limit more subscriptions of topics with a new version. It returns how many it queued and whether
	// there are more. The queue survives the caller.
	PlanDeliveries(ctx context.Context, limit int) (planned int, more bool, err error)
	// ClaimDeliveries leases due deliveries until their fence. It returns the subscription after which the next claim should
	// continue, and the time at which the next delivery is due, or zero. A subscription has at most one leased delivery, so
	// that its versions arrive in order. A delivery that is not finished by its fence is due again.
	ClaimDeliveries(ctx context.Context, c feed.DeliveryClaim) (all []feed.Delivery, after string, next time.Time, err error)
	// AnnounceDaemon announces that a daemon works. It returns the daemons that are silent: they have not announced themselves
	// for that time, and not ended with ReleaseDeliveries.
	AnnounceDaemon(ctx context.Context, daemon string, silence time.Duration) (silent []string, err error)
	// ReleaseDeliveries makes the deliveries due that a daemon has claimed and not finished, and returns how many there were. It
	// is a no-op if the daemon has announced itself within the time silence; with 0 it always works.
	ReleaseDeliveries(ctx context.Context, daemon string, silence time.Duration) (int, error)
	// FinishDeliveries stores results and ends the leases. It returns how many leases were already lost, whose results are
	// ignored, and how many subscriptions have a next version that is due now. A failed delivery without a next attempt
	// leaves a dead letter for all versions up to the newest.
	FinishDeliveries(ctx context.Context, all []feed.DeliveryResult) (lost, again int, err error)
	// RemoveSubscription ends the subscription of a leased delivery. It is a no-op if the subscription is gone.
	// feed.ErrLeaseLost: the lease has ended; nothing was written.
	RemoveSubscription(ctx context.Context, d feed.Delivery) error
	// ExpireSubscriptions ends up to limit subscriptions whose lease is over and returns how many.
	ExpireSubscriptions(ctx context.Context, limit int) (int, error)
	// BringForward corrects what was planned before the clock was set back, once all claims that lasted up to lease have ended. It
	// is safe to repeat, and returns how many deliveries and requests it found.
	BringForward(ctx context.Context, lease time.Duration) (int, error)
	// HubState returns the numbers that the metrics show.
	HubState(ctx context.Context) (feed.HubState, error)
}
