package ranking

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	orderStored = 60    // seconds for which the order of a group is stored
	largeGroup  = 1_000 // members beyond which it does not expire, because one script would block Redis while it computes it
	orderAtOnce = 250   // members of such a group that one script orders
	leaveAtOnce = 500   // members that one script removes from a group
)

// ListPlaces returns up to limit entries of a list after a cursor, best first, and whether more follow. The members are numbers of entries.
// It has no places of the lists of submissions, which belong to package community. feed.ErrNotFound: there is no such list.
func (s *Store) ListPlaces(ctx context.Context, list string, after feed.Cursor, limit int) (places []feed.Cursor, more bool, err error) {
	if !after.IsZero() {
		after.Member = articlePrefix + after.Member
	}
	if key := s.keys().builtIn(list); key != "" {
		places, more, err = s.db.Page(ctx, opGroup, key, time.Time{}, after, limit)
	} else {
		places, more, err = s.groupPlaces(ctx, list, after, limit)
	}
	for i := range places {
		places[i].Member = strings.TrimPrefix(places[i].Member, articlePrefix)
	}
	return places, more, core.Wrap(err, "list %s", list)
}

// builtIn returns the key of a list of every store; empty: there is no such list.
func (k keys) builtIn(list string) string {
	switch {
	case list == feed.ListByTime:
		return k.times()
	case list == feed.ListByScore:
		return k.scores()
	case slices.ContainsFunc(feed.Rankings(), func(r feed.Ranking) bool { return r.Name == list }):
		return k.rank(list)
	}
	return ""
}

// fixedLists returns the lists of every store, and those of submissions while the community is enabled.
func (s *Store) fixedLists() []feed.EntryList {
	if s.db.Options().Community {
		return slices.Concat(feed.BuiltInLists(), feed.NewsLists())
	}
	return feed.BuiltInLists()
}

// Lists returns all lists: those of every store, those of submissions, those that editors arrange, and then the groups, both in alphabetical
// order.
func (s *Store) Lists(ctx context.Context) ([]feed.EntryList, error) {
	all := s.fixedLists()
	arranged, err := s.arranged(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, arranged...)
	groups, err := s.Groups(ctx)
	for _, name := range groups {
		all = append(all, feed.EntryList{Name: name, Kind: feed.ListGroup, Title: name})
	}
	return all, err
}

func (s *Store) groupPlaces(ctx context.Context, group string, after feed.Cursor, limit int) ([]feed.Cursor, bool, error) {
	k, score := s.keys(), ""
	if !after.IsZero() {
		score = strconv.FormatFloat(after.Score, 'f', -1, 64)
	}
	rank := func() (any, error) {
		return s.db.Run(ctx, s.scripts["rank_group"], []any{k.group(group), k.scores(), k.ranked(group), k.empty(group), k.list(group), k.order(group)},
			[]any{score, after.Member, limit + 1, orderStored, largeGroup})
	}
	reply, err := rank()
	if _, large := reply.([]byte); large && err == nil {
		if err = s.buildOrder(ctx, group); err == nil {
			reply, err = rank()
		}
	}
	if err != nil {
		return nil, false, err
	}
	r := core.Replies{reply}
	places := r.Places()
	if len(places) == 0 && after.IsZero() {
		_, err := s.List(ctx, group)
		return nil, false, err
	}
	return places[:min(limit, len(places))], len(places) > limit, nil
}

// buildOrder computes the order of a large group.
func (s *Store) buildOrder(ctx context.Context, group string) error {
	for {
		done, err := s.orderSome(ctx, group)
		if done || err != nil {
			return err
		}
	}
}

// orderSome continues the computation of the order of a group with some members, and reports whether the order is complete.
func (s *Store) orderSome(ctx context.Context, group string) (bool, error) {
	k := s.keys()
	return redis.Bool(s.db.Run(ctx, s.scripts["build_order"], []any{k.group(group), k.scores(), k.ranked(group), k.build(group)},
		[]any{orderAtOnce, orderStored}))
}

// Groups returns the names of all groups in alphabetical order.
func (s *Store) Groups(ctx context.Context) ([]string, error) {
	names, err := redis.Strings(s.db.Do(ctx, opGroup, "SMEMBERS", s.keys().groups()))
	slices.Sort(names)
	return names, core.Wrap(err, "list groups")
}

// AddToGroup adds an entry to a group, which exists from then on, and in which it stays whatever the rules say. It is a no-op if it is a member. feed.ErrInvalid: the name; feed.ErrGone: the
// entry was taken down; feed.ErrConflict: there are feed.MaxGroups groups, or the entry has feed.MaxGroupsOf of them.
func (s *Store) AddToGroup(ctx context.Context, group string, e *feed.Entry) error {
	if err := feed.CheckGroup(group); err != nil {
		return err
	}
	result, err := redis.String(s.run(ctx, "add_to_group", e, []any{s.keys().groups()}, group, feed.MaxGroups, feed.MaxGroupsOf))
	switch result {
	case "removed":
		err = feed.ErrGone
	case "groups":
		err = fmt.Errorf("%w: there are %d groups; remove one first", feed.ErrConflict, feed.MaxGroups)
	case "list":
		err = fmt.Errorf("%w: editors arrange a list with this name; use another one", feed.ErrConflict)
	case "groups of the article":
		err = fmt.Errorf("%w: an entry can have %d groups; remove it from one first", feed.ErrConflict, feed.MaxGroupsOf)
	}
	return core.Wrap(err, "%s in group %s", e.ID, group)
}

// RemoveFromGroup reverts AddToGroup. The entry does not become a member by rule again. It is a no-op if the entry is no member.
func (s *Store) RemoveFromGroup(ctx context.Context, group, id string) error {
	_, err := s.run(ctx, "remove_from_group", &feed.Entry{ID: id}, nil, group, feed.MaxGroupsOf)
	return core.Wrap(err, "%s in group %s", id, group)
}

// RemoveGroup removes a group. Its members stay in the other lists. feed.ErrNotFound: there is no such group.
func (s *Store) RemoveGroup(ctx context.Context, group string) error {
	k := s.keys()
	exists, err := redis.Bool(s.db.Do(ctx, opGroup, "SISMEMBER", k.groups(), group))
	if err = core.Unless(exists, err, feed.ErrNotFound); err != nil {
		return core.Wrap(err, "group %s", group)
	}
	for removed := leaveAtOnce; removed == leaveAtOnce && err == nil; {
		removed, err = redis.Int(s.db.Run(ctx, s.scripts["remove_group"], []any{k.group(group), k.groups(), k.ranked(group), k.build(group), k.empty(group)},
			[]any{k.Prefix(), group, leaveAtOnce}))
	}
	return core.Wrap(err, "group %s", group)
}
