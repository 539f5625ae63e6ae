package lists

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	ruleBatch    = 200 // entries that are read and selected together
	ruleNewest   = 100 // entries of each source that new rules select
	rulePause    = 20 * time.Millisecond
	ruleRecheck  = 10 * time.Minute // until a pass is tried again that ended with an error, or that a failover lost
	ruledRefused = "an entry is not in a group that selects it, because there are too many groups"
)

// SetRules replaces the rules of groups. Run applies them to the entries that exist.
func (ls *Lists) SetRules(rules feed.RuledGroups) {
	ls.rules.Store(&rules)
	retry.Wake(ls.newRules)
}

// keepRules brings the groups in line with new rules until ctx ends.
func (ls *Lists) keepRules(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := retry.Do(ctx, retry.Options{Final: retry.NotUnavailable}, func() (any, error) {
			return nil, ls.guarded(func() error { return ls.applyRules(ctx) })
		})
		if err != nil && ctx.Err() == nil {
			ls.opts.Logger.Error("entries are not in line with the rules of groups", "err", err)
		}
		retry.Await(ctx, ls.newRules, ruleRecheck)
	}
}

// applyRules applies the rules in force to all articles and to the newest entries of each source, unless they follow them.
func (ls *Lists) applyRules(ctx context.Context) error {
	rules := ls.rules.Load()
	digest := rules.Digest()
	if followed, err := ls.store.RulesFollowed(ctx); err != nil || followed == digest || followed == "" && len(*rules) == 0 {
		return err
	}
	if err := ls.selectArticles(ctx); err != nil {
		return err
	}
	if len(*rules) > 0 {
		if err := ls.selectNewest(ctx); err != nil {
			return err
		}
	}
	if ls.rules.Load() != rules {
		return nil // SetRules has woken keepRules
	}
	return ls.store.SetRulesFollowed(ctx, digest)
}

// selectArticles applies the rules to all entries in lists.
func (ls *Lists) selectArticles(ctx context.Context) error {
	for after, more := (feed.Cursor{}), true; more; {
		var places []feed.Cursor
		var err error
		if places, more, err = ls.store.ListPlaces(ctx, feed.ListByTime, after, ruleBatch); err != nil {
			return err
		}
		ids := make([]string, len(places))
		for i, p := range places {
			ids[i], after = "Entry:"+p.Member, p
		}
		if err := ls.selectPaced(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

// selectNewest applies the rules to the newest entries of each source.
func (ls *Lists) selectNewest(ctx context.Context) error {
	sources, err := ls.store.ListSources(ctx)
	for i := range sources {
		if err == nil {
			err = ls.selectOf(ctx, sources[i].URL)
		}
	}
	return err
}

// selectOf applies the rules to the newest entries of a source.
func (ls *Lists) selectOf(ctx context.Context, feedURL string) error {
	ids, err := ls.store.NewestIDs(ctx, feedURL, ruleNewest)
	if err != nil {
		return err
	}
	return ls.selectPaced(ctx, ids)
}

// selectPaced applies the rules to entries, and then leaves the store to others for a while.
func (ls *Lists) selectPaced(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := ls.selectByRule(ctx, ids); err != nil {
		return err
	}
	retry.Await(ctx, nil, rulePause)
	return ctx.Err()
}

// selectByRule applies the rules in force to entries as they are now. One call at a time: otherwise one that has read an entry before an edit
// could be the last that writes.
func (ls *Lists) selectByRule(ctx context.Context, ids []string) error {
	ls.selecting.Lock()
	defer ls.selecting.Unlock()
	found, err := ls.store.LabelsByID(ctx, ids)
	if err != nil {
		return err
	}
	rules, all := ls.rules.Load(), make([]feed.Selected, 0, len(found))
	for _, id := range ids {
		if e, ok := found[id]; ok {
			all = append(all, feed.Selected{Entry: e, Groups: rules.Of(&e)})
		}
	}
	refused, err := ls.store.FollowRules(ctx, all)
	if refused > 0 {
		ls.opts.Logger.Warn(ruledRefused, "memberships", refused, "max_groups", feed.MaxGroups, "max_groups_of_entry", feed.MaxGroupsOf)
	}
	return err
}
