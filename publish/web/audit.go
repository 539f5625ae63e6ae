package web

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// change is what an action has done, for the audit log.
type change struct {
	object        feed.Object
	before, after string
	reason        string
	none          bool     // the request as a whole changed nothing
	each          bool     // the parts of the request are counted, not the request
	also          []change // more objects
	action        *Action  // nil: that of the route
}

type changeKey struct{}

// Changed names the object of the action for the audit log, and its state before and after. Without it the log has the path of
// the request.
func Changed(r *http.Request, object feed.Object, before, after string) {
	if c := changeOf(r); c != nil {
		c.object, c.before, c.after = object, before, after
	}
}

// AlsoChanged adds one of several objects of an action to the audit log.
func AlsoChanged(r *http.Request, object feed.Object, before, after string) {
	if c := changeOf(r); c != nil {
		c.also = append(c.also, change{object: object, before: before, after: after})
	}
}

// AlsoDid adds an action that the action of the route implies, such as the revocation of a token, to the audit log.
func AlsoDid(r *http.Request, a *Action, object feed.Object, before, after string) {
	if c := changeOf(r); c != nil {
		c.also = append(c.also, change{object: object, before: before, after: after, action: a})
	}
}

// Because sets the reason of the action for the audit log.
func Because(r *http.Request, reason string) {
	if c := changeOf(r); c != nil {
		c.reason = reason
	}
}

// NothingChanged keeps the action out of the audit log, except for objects of AlsoChanged.
func NothingChanged(r *http.Request) {
	if c := changeOf(r); c != nil {
		c.none = true
	}
}

func changeOf(r *http.Request) *change {
	c, _ := r.Context().Value(changeKey{}).(*change)
	return c
}

// do performs an action, counts it, and records it in the audit log.
func (k *Kit) do(r *http.Request, a *Action, f func(*http.Request) error) error {
	c := &change{object: feed.Object{Name: r.URL.Path}}
	_ = k.store.Confirm(r.Context()) // an action that needs the store fails for the same reason; others, such as a reload, do not
	err := f(r.WithContext(context.WithValue(r.Context(), changeKey{}, c)))
	if c.each {
		return err
	}
	k.actions.WithLabelValues(a.Name, ResultOf(err)).Inc()
	if err == nil {
		k.record(r, a, c)
	}
	return err
}

// Record records an action of a visitor who was unknown when the request arrived, such as a sign-in.
func (k *Kit) Record(r *http.Request, a *Action, account *feed.Account) {
	k.record(WithVisitor(r, feed.Visitor{Name: account.Name, Account: *account}), a, &change{object: feed.AccountObject(account)})
}

const (
	auditTimeout = 5 * time.Second // after the response
	maxAudited   = 1000            // bytes of a field
)

// record writes a change to the audit log, or to the log if the audit log fails.
func (k *Kit) record(r *http.Request, a *Action, c *change) {
	all := c.also
	if !c.none {
		all = append(all, *c)
	}
	if a.Text == "" || len(all) == 0 {
		return
	}
	entries, v := make([]feed.AuditEntry, len(all)), VisitorOf(r)
	for i, one := range all {
		o := one.object
		o.ID, o.Name = Cut(o.ID, maxAudited), Cut(o.Name, maxAudited)
		entries[i] = feed.AuditEntry{
			Time: k.Now().UTC(), Who: v.Name, Account: v.Account.ID, Action: cmp.Or(one.action, a).Name, Object: o,
			Before: Cut(one.before, maxAudited), After: Cut(one.after, maxAudited), Reason: one.reason, From: k.visitors.Address(r),
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), auditTimeout)
	defer cancel()
	if err := k.store.AddAudit(ctx, entries...); err != nil {
		for _, e := range entries {
			k.Logger.Error("change not in the audit log", "who", e.Who, "action", e.Action, "object", e.Object.String(), "before", e.Before,
				"after", e.After, "from", e.From, "err", err)
		}
	}
}

// ActionText returns what an action does, for people. Names of older versions are returned unchanged.
func (k *Kit) ActionText(name string) string {
	site := k.site.Load()
	for i := range site.Routes {
		if a := site.Routes[i].Action; a != nil && a.Name == name && a.Text != "" {
			return a.Text
		}
	}
	for _, a := range site.Actions {
		if a.Name == name {
			return a.Text
		}
	}
	return name
}
