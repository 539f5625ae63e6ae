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

// How a subscription lives. Each function below is one thing that may happen to it; it changes the callback and nothing
// else, so that it can be repeated where somebody else has written the callback meanwhile.
const (
	leaseAsked = 10 * 24 * time.Hour // the default that WebSub section 8.2 names
	leaseLeast = time.Minute         // shorter ones are no use: renewing would be all we do
	leaseMost  = 14 * 24 * time.Hour // longer ones are renewed as if they ended then: hubs forget

	renewAt     = 0.8 // of the lease, up to renewSpread sooner, so that a hub is not asked for everything at once
	renewSpread = 0.05

	confirmTime  = 10 * time.Minute // a hub has for its first confirmation; doubled with each request it left unconfirmed
	answerTime   = 24 * time.Hour   // within which a late confirmation is still answered
	repeatTime   = 10 * time.Minute // within which a hub may repeat one
	failedDelay  = time.Minute      // after a request that failed; doubled each time
	refusedWait  = 24 * time.Hour   // after one that the hub refused by 4xx
	deniedWait   = 7 * 24 * time.Hour
	forgedWait   = time.Hour
	forgedMost   = 3 // deliveries without a good signature in a row, until a new secret is agreed on
	leaveTries   = 5 // requests to unsubscribe; then the 410 that each delivery gets has to do
	slowFactor   = 12
	slowMost     = 24 * time.Hour
	maxPushDelay = 24 * time.Hour
)

// backoff doubles d with each error after the first.
func backoff(d time.Duration, errs int) time.Duration {
	for e := 1; e < errs && d < maxPushDelay; e++ {
		d *= 2
	}
	return min(d, maxPushDelay)
}

// enter brings the subscription into a state.
func enter(c *feed.PushSubscription, state feed.PushState, now time.Time) {
	if c.State != state {
		c.State, c.Since = state, now
	}
}

// chooseHub is one of the hubs that a source names: the one it had, unless that has failed us and there is another one;
// else the first that is safe against eavesdroppers; else the first.
func chooseHub(hubs []string, had *feed.Push) string {
	keep := slices.Contains(hubs, had.Hub)
	if failed := had.State == feed.PushDenied || had.State == feed.PushSilent; failed && len(hubs) > 1 {
		hubs = slices.DeleteFunc(slices.Clone(hubs), func(h string) bool { return h == had.Hub })
		keep = false
	}
	if keep {
		return had.Hub
	}
	for _, h := range hubs {
		if strings.HasPrefix(h, "https://") {
			return h
		}
	}
	if len(hubs) == 0 {
		return ""
	}
	return hubs[0]
}

// advertise takes over what a source says of its hub; it subscribes there, if wanted, and gives up what was.
func advertise(c *feed.PushSubscription, hub, topic string, wanted bool, now time.Time) {
	if hub == c.Hub && topic == c.Topic && wanted == (c.State != feed.PushNone) {
		return
	}
	c.Leave(now)
	c.Hub, c.Topic = hub, topic
	if wanted {
		begin(c, now)
	}
}

// begin starts a subscription under a new token with a new secret, due at once.
func begin(c *feed.PushSubscription, now time.Time) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	c.Token, c.Secret = rand.Text(), hex.EncodeToString(secret[:])
	c.PendingMode, c.Until, c.LeaseEnd, c.Refused = "", time.Time{}, time.Time{}, 0
	c.Due = now
	enter(c, feed.PushPending, now)
}

// ask notes that a request goes out, before it does: the hub may confirm it at once. A subscription that failed in any
// way is asked for anew; one that is active is renewed as it is.
func ask(c *feed.PushSubscription, now time.Time) {
	mode := websub.Subscribe
	switch c.State {
	case feed.PushLeaving:
		mode = websub.Unsubscribe
	case feed.PushActive, feed.PushPending:
	default:
		begin(c, now)
	}
	c.Errors++
	c.PendingMode, c.Until = string(mode), now.Add(answerTime)
	c.Due = now.Add(backoff(confirmTime, c.Errors))
	inLease(c)
}

// inLease looks at an active subscription no later than when its lease ends.
func inLease(c *feed.PushSubscription) {
	if c.State == feed.PushActive && c.Due.After(c.LeaseEnd) {
		c.Due = c.LeaseEnd
	}
}

// failedRequest notes that a request came to nothing, and tries again after wait, or where that is zero, after a time
// that doubles. A hub that has confirmed it all the same knows better.
func failedRequest(c *feed.PushSubscription, reason string, wait time.Duration, now time.Time) {
	if c.Errors == 0 {
		return
	}
	if wait == 0 {
		wait = backoff(failedDelay, c.Errors)
	}
	c.ErrorText = reason
	c.Due = now.Add(wait)
	inLease(c)
}

// mayConfirm reports whether a hub may confirm a request now: one of this mode and topic has gone out.
func mayConfirm(c *feed.PushSubscription, i *websub.Intent, now time.Time) bool {
	return c.PendingMode == string(i.Mode) && c.Topic == i.Topic && !now.After(c.Until) && (i.Lease == 0 || i.Lease >= leaseLeast ||
		i.Mode == websub.Unsubscribe)
}

// confirmSubscription takes the lease that the hub gives, from now on (section 5.3). Spread, in [0, 1), is this renewal's part of
// renewSpread.
func confirmSubscription(c *feed.PushSubscription, lease time.Duration, spread float64, now time.Time) {
	if lease == 0 { // for ever, says a hub of PubSubHubbub 0.3
		lease = leaseAsked
	}
	lease = min(lease, leaseMost)
	enter(c, feed.PushActive, now)
	c.Errors, c.ErrorText, c.Refused = 0, "", 0
	c.LeaseEnd = now.Add(lease)
	c.Due = now.Add(time.Duration((renewAt - renewSpread*spread) * float64(lease)))
	if again := now.Add(repeatTime); c.Until.After(again) {
		c.Until = again
	}
}

// deny notes that the hub does not want us, which it may say at any time (section 5.2).
func deny(c *feed.PushSubscription, reason string, now time.Time) {
	enter(c, feed.PushDenied, now)
	c.PendingMode, c.LeaseEnd = "", time.Time{}
	c.ErrorText = "the hub refused"
	if reason != "" {
		c.ErrorText += ": " + reason
	}
	c.Due = now.Add(deniedWait)
}

// fallSilent gives up trust until the hub shows that it does its work, or has confirmed the subscription again.
func fallSilent(c *feed.PushSubscription, reason string, due, now time.Time) {
	enter(c, feed.PushSilent, now)
	c.ErrorText = reason
	if !due.IsZero() {
		c.Due = due
	}
}

// receive notes a delivery with a good signature: within a lease it is proof that push works.
func receive(c *feed.PushSubscription, ping bool, now time.Time) {
	c.LastPush, c.Refused = now, 0
	c.Pushes++
	if ping {
		c.LastPing = now
	}
	if c.State == feed.PushSilent && now.Before(c.LeaseEnd) {
		enter(c, feed.PushActive, now)
		c.ErrorText = ""
	}
}

// refuse notes a delivery without a good signature. After some in a row hub and we have lost the secret, or somebody
// else has found the callback URL.
func refuse(c *feed.PushSubscription, now time.Time) {
	c.Refused++
	if c.State == feed.PushActive && c.Refused >= forgedMost {
		fallSilent(c, "deliveries came without a good signature; a new subscription is asked for", now.Add(forgedWait), now)
		c.LeaseEnd = time.Time{}
	}
}
