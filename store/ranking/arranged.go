package ranking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// unlistAtOnce is how many entries one script removes from a list that is deleted.
const unlistAtOnce = 100

// List returns the list with a name. feed.ErrNotFound: there is none.
func (s *Store) List(ctx context.Context, name string) (feed.EntryList, error) {
	all := s.fixedLists()
	if i := slices.IndexFunc(all, func(l feed.EntryList) bool { return l.Name == name }); i >= 0 {
		return all[i], nil
	}
	k := s.keys()
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) {
		b.Add("HMGET", listFields(k, name)...)
		b.Add("SISMEMBER", k.groups(), name)
	})
	if err != nil {
		return feed.EntryList{}, core.Wrap(err, "list %s", name)
	}
	fields := r.Texts()
	isGroup, err := redis.Bool(r.Next(), nil)
	if list := editable(name, fields); list.Version != "" {
		return list, nil
	}
	return feed.EntryList{Name: name, Kind: feed.ListGroup, Title: name}, core.Wrap(core.Unless(isGroup, err, feed.ErrNotFound), "list %s", name)
}

// listFields returns the arguments of the command that reads what editable needs.
func listFields(k keys, name string) []any {
	return []any{k.list(name), "title", "description", "version", "query"}
}

// editable returns the list of editors with some fields. It has no version if there is none.
func editable(name string, fields []string) feed.EntryList {
	list := feed.EntryList{Name: name, Kind: feed.ListArranged, Title: fields[0], Description: fields[1], Version: fields[2], Query: fields[3]}
	if list.Query != "" {
		list.Kind = feed.ListSearch
	}
	return list
}

// arranged returns the lists of editors in alphabetical order.
func (s *Store) arranged(ctx context.Context) ([]feed.EntryList, error) {
	k := s.keys()
	names, err := redis.Strings(s.db.Do(ctx, opGroup, "SMEMBERS", k.lists()))
	if err != nil || len(names) == 0 {
		return nil, core.Wrap(err, "list lists")
	}
	slices.Sort(names)
	r, err := s.db.Pipeline(ctx, opGroup, func(b *core.Batch) {
		for _, name := range names {
			b.Add("HMGET", listFields(k, name)...)
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "list lists")
	}
	all := make([]feed.EntryList, 0, len(names))
	for _, name := range names {
		if list := editable(name, r.Texts()); list.Version != "" { // it was not deleted meanwhile
			all = append(all, list)
		}
	}
	return all, nil
}

// ListsOf returns the names of the lists that editors arrange and that an entry is in.
func (s *Store) ListsOf(ctx context.Context, id string) ([]string, error) {
	e := feed.Entry{ID: id}
	names, err := redis.String(s.db.Do(ctx, opGroup, "HGET", s.keys().article(e.Number()), "lists"))
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return strings.FieldsFunc(names, func(r rune) bool { return r == ',' }), core.Wrap(err, "lists of %s", id)
}

// SaveList creates a list that editors arrange, or a search that they save if it has a query, or changes its title, description and query. Its
// Version is the one that is replaced, feed.ListNew if the list must not exist, or empty for any. It reports whether something changed.
// feed.ErrInvalid: see feed.EntryList.CheckArranged; feed.ErrChanged: the version is another one; feed.ErrConflict: a group has the name, there are
// feed.MaxLists lists, or the list is of the other kind.
func (s *Store) SaveList(ctx context.Context, list feed.EntryList) (bool, error) {
	if err := list.CheckArranged(); err != nil {
		return false, err
	}
	k := s.keys()
	result, err := redis.String(s.db.Run(ctx, s.scripts["save_list"], []any{k.lists(), k.groups(), k.list(list.Name)},
		[]any{list.Name, list.Title, list.Description, list.Version, core.Stamp(s.db.Now()), feed.MaxLists, list.Query}))
	switch result {
	case "group":
		err = fmt.Errorf("a group has this name; use another one: %w", feed.ErrConflict)
	case "lists":
		err = fmt.Errorf("there are %d lists; delete one first: %w", feed.MaxLists, feed.ErrConflict)
	case "kind":
		err = fmt.Errorf("a list that editors arrange and a saved search do not become each other; delete the list first: %w", feed.ErrConflict)
	}
	return listChanged(result, err, list.Name)
}

// DeleteList deletes a list that editors arrange. Its entries stay in the other lists. An empty version stands for any. feed.ErrNotFound: there is
// no such list; feed.ErrChanged: its version is another one.
func (s *Store) DeleteList(ctx context.Context, name, version string) error {
	k := s.keys()
	for {
		result, err := redis.String(s.db.Run(ctx, s.scripts["delete_list"], []any{k.list(name), k.order(name), k.lists()},
			[]any{k.Prefix(), name, version, unlistAtOnce}))
		if _, err = listChanged(result, err, name); err != nil || result != "more" {
			return err
		}
		version = ""
	}
}

// PlaceInList adds an entry to a list that editors arrange, or moves it, and reports whether that changed something. An empty version stands for
// any. feed.ErrInvalid: see feed.ListTarget.Check; feed.ErrNotFound: there is no such list; feed.ErrChanged: its version is another one; feed.ErrGone: the
// entry was taken down; feed.ErrConflict: the list has feed.MaxListed entries, the entry is in feed.MaxListsOf lists, the list is a saved
// search, or the entry that is to follow is not in the list.
func (s *Store) PlaceInList(ctx context.Context, list string, e *feed.Entry, to feed.ListTarget, version string) (bool, error) {
	if err := to.Check(); err != nil {
		return false, err
	}
	k, before := s.keys(), ""
	if to.Before != "" {
		before = articlePrefix + to.Before
	}
	result, err := redis.String(s.run(ctx, "place_entry", e, []any{k.list(list), k.order(list)},
		list, version, before, to.Position, feed.MaxListed, feed.MaxListsOf))
	switch result {
	case "removed":
		err = feed.ErrGone
	case "entries":
		err = fmt.Errorf("a list can have %d entries; remove one first: %w", feed.MaxListed, feed.ErrConflict)
	case "lists":
		err = fmt.Errorf("an entry can be in %d lists; remove it from one first: %w", feed.MaxListsOf, feed.ErrConflict)
	case "search":
		err = fmt.Errorf("the list has what its search finds; change its query: %w", feed.ErrConflict)
	case "before":
		err = fmt.Errorf("entry %s is not in the list: %w", to.Before, feed.ErrConflict)
	}
	return listChanged(result, err, list)
}

// RemoveFromList removes an entry from a list that editors arrange, and reports whether it was in it. An empty version stands for any.
// feed.ErrNotFound: there is no such list; feed.ErrChanged: its version is another one.
func (s *Store) RemoveFromList(ctx context.Context, list, id, version string) (bool, error) {
	k := s.keys()
	result, err := redis.String(s.run(ctx, "remove_from_list", &feed.Entry{ID: id}, []any{k.list(list), k.order(list)}, list, version))
	return listChanged(result, err, list)
}

// listChanged reports whether a script has changed a list, by its result.
func listChanged(result string, err error, list string) (bool, error) {
	switch {
	case err != nil:
	case result == "none":
		err = feed.ErrNotFound
	case result == "changed":
		err = feed.ErrChanged
	}
	return err == nil && result != "same", core.Wrap(err, "list %s", list)
}
