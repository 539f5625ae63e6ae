package ingest

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// The life of a subscription. Each function below is one event. It changes only the callback, so that it can be repeated if
// another daemon has written the callback meanwhile.
const (
	leaseAsked = 10 * 24 * time.Hour // the default of WebSub section 8.2
	leaseLeast = 5 * time.Second     // shorter leases would be renewed all the time
	leaseMost  = 14 * 24 * time.Hour // longer leases are renewed as if they ended then, because hubs forget

	renewAt     = 0.8  // of the lease
	renewSpread = 0.05 // of the lease, earlier: a hub must not get all renewals at once

	confirmTime     = 10 * time.Minute // for the confirmation of a request; doubled with each unconfirmed request
	answerTime      = 24 * time.Hour   // in which a late confirmation is answered
	repeatTime      = 10 * time.Minute // in which a hub may repeat a confirmation
	failedDelay     = time.Minute      // after a failed request; doubled each time
	refusedWait     = 24 * time.Hour   // after a request that the hub refused by 4xx
	deniedWait      = 7 * 24 * time.Hour
	forgedWait      = time.Hour
	forgedMost      = 3 // consecutive deliveries with a bad signature; then the secret is replaced
	leaveTries      = 5 // requests to unsubscribe; then deliveries only get 410
	pushFactor      = 12
	maxPushInterval = 24 * time.Hour
)

// intervalWithPush returns the interval of a source whose hub pushes. Polls then only find what the hub missed.
func intervalWithPush(interval time.Duration) time.Duration {
	return max(interval, min(pushFactor*interval, maxPushInterval))
}

// setState sets the state of the subscription.
func setState(c *feed.PushSubscription, state feed.PushState, now time.Time) {
	if c.State != state {
		c.State, c.Since = state, now
	}
}

// chooseHub returns one of the hubs of a source, or "": the current one, unless it failed and there is another; otherwise the
// first with an https URL; otherwise the first.
func chooseHub(hubs []string, current *feed.Push) string {
	failed := current.State == feed.PushDenied || current.State == feed.PushSilent ||
		current.State == feed.PushPending && (current.ErrorText != "" || current.Errors > 1) // it is dead, refuses or does not confirm
	if slices.Contains(hubs, current.Hub) && (!failed || len(hubs) == 1) {
		return current.Hub
	}
	if failed {
		hubs = slices.DeleteFunc(slices.Clone(hubs), func(h string) bool { return h == current.Hub })
	}
	if i := slices.IndexFunc(hubs, func(h string) bool { return strings.HasPrefix(h, "https://") }); i >= 0 {
		return hubs[i]
	}
	if len(hubs) == 0 {
		return ""
	}
	return hubs[0]
}

// setHub replaces hub and topic by those that the source names. It leaves the old subscription, and begins a new one if
// wanted is true.
func setHub(c *feed.PushSubscription, hub, topic string, wanted bool, now time.Time) {
	if hub == c.Hub && topic == c.Topic && wanted == (c.State != feed.PushNone) {
		return
	}
	c.Leave(now)
	c.Hub, c.Topic = hub, topic
	if wanted {
		begin(c, now)
	}
}

// begin starts a subscription with a new token and a new secret, due at once.
func begin(c *feed.PushSubscription, now time.Time) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	c.Token, c.Secret = rand.Text(), hex.EncodeToString(secret[:])
	c.PendingMode, c.Until, c.LeaseEnd, c.Refused = "", time.Time{}, time.Time{}, 0
	c.Due = now
	setState(c, feed.PushPending, now)
}

// prepareRequest records a request before it is sent, because the hub may confirm it at once. A failed subscription begins
// anew; an active one is renewed.
func prepareRequest(c *feed.PushSubscription, now time.Time) {
	mode := feed.HubSubscribe
	switch c.State {
	case feed.PushLeaving:
		mode = feed.HubUnsubscribe
	case feed.PushActive, feed.PushPending:
	default:
		begin(c, now)
	}
	c.Errors++
	c.PendingMode, c.Until = mode, now.Add(answerTime)
	setDue(c, now.Add(backOff(confirmTime, c.Errors)))
}

// setDue sets when the subscription is due. An active one is due at the end of its lease at the latest.
func setDue(c *feed.PushSubscription, due time.Time) {
	if c.Due = due; c.State == feed.PushActive && due.After(c.LeaseEnd) {
		c.Due = c.LeaseEnd
	}
}

// requestFailure records a failed request. The next one follows after wait, or, if that is zero, after a time that doubles. It
// does nothing if the hub has confirmed the request nevertheless.
func requestFailure(c *feed.PushSubscription, reason string, wait time.Duration, now time.Time) {
	if c.Errors == 0 {
		return
	}
	if wait == 0 {
		wait = backOff(failedDelay, c.Errors)
	}
	c.ErrorText = reason
	setDue(c, now.Add(wait))
}

// mayConfirm reports whether a hub may confirm a request now: one of this mode and topic was sent.
func mayConfirm(c *feed.PushSubscription, i *websub.Intent, now time.Time) bool {
	return c.PendingMode == i.Mode && c.Topic == i.Topic && !now.After(c.Until) && (i.Lease == 0 || i.Lease >= leaseLeast ||
		i.Mode == feed.HubUnsubscribe)
}

// confirmSubscription starts the lease that the hub grants (section 5.3). spread, in [0, 1), is the part of renewSpread by
// which the renewal is earlier.
func confirmSubscription(c *feed.PushSubscription, lease time.Duration, spread float64, now time.Time) {
	if lease == 0 { // endless, in PubSubHubbub 0.3
		lease = leaseAsked
	}
	lease = min(lease, leaseMost)
	setState(c, feed.PushActive, now)
	c.Errors, c.ErrorText, c.Refused = 0, "", 0
	c.LeaseEnd = now.Add(lease)
	c.Due = now.Add(time.Duration((renewAt - renewSpread*spread) * float64(lease)))
	if end := now.Add(repeatTime); c.Until.After(end) {
		c.Until = end
	}
}

// deny records that the hub denies the subscription, which it may do at any time (section 5.2).
func deny(c *feed.PushSubscription, reason string, now time.Time) {
	setState(c, feed.PushDenied, now)
	c.PendingMode, c.LeaseEnd = "", time.Time{}
	c.ErrorText = "the hub refused"
	if reason != "" {
		c.ErrorText += ": " + reason
	}
	c.Due = now.Add(deniedWait)
}

// setSilent records that the hub does not push reliably, until it delivers or confirms the subscription again.
func setSilent(c *feed.PushSubscription, reason string, now time.Time) {
	setState(c, feed.PushSilent, now)
	c.ErrorText = reason
}

// recordDelivery records a delivery with a valid signature. Within the lease it proves that push works.
func recordDelivery(c *feed.PushSubscription, ping bool, now time.Time) {
	c.LastPush, c.Refused = now, 0
	c.Pushes++
	if ping {
		c.LastPing = now
	}
	if c.State == feed.PushSilent && now.Before(c.LeaseEnd) {
		setState(c, feed.PushActive, now)
		c.ErrorText = ""
	}
}

// recordForgery records a delivery without a valid signature. After several in a row, hub and subscriber do not share the
// secret, or someone else knows the callback URL.
func recordForgery(c *feed.PushSubscription, now time.Time) {
	c.Refused++
	if c.State == feed.PushActive && c.Refused >= forgedMost {
		setSilent(c, "deliveries had no valid signature; feedwire requests a new subscription", now)
		c.Due, c.LeaseEnd = now.Add(forgedWait), time.Time{}
	}
}
