package ranking_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// arrange creates a list with entries, the first one on top.
func (h *house) arrange(name string, entries ...*feed.Entry) {
	h.t.Helper()
	_, err := h.Rankings.SaveList(h.t.Context(), feed.EntryList{Name: name, Title: "T " + name})
	h.ok(err)
	for _, e := range slices.Backward(entries) {
		h.place(name, e, feed.ListTarget{})
	}
}

func (h *house) place(name string, e *feed.Entry, to feed.ListTarget) bool {
	h.t.Helper()
	changed, err := h.Rankings.PlaceInList(h.t.Context(), name, e, to, "")
	h.ok(err)
	return changed
}

func TestEditorsArrangeAList(t *testing.T) {
	each(t, func(h *house) {
		all := h.entries("a b c d")
		h.arrange("front", all[:3]...)
		want := func(what, titles string) {
			t.Helper()
			h.wantList(what, "front", all, titles)
		}
		want("as it was added", "a b c")
		for e, in := range map[*feed.Entry]string{all[0]: "[front]", all[3]: "[]"} {
			lists, err := h.Rankings.ListsOf(t.Context(), e.ID)
			h.ok(err)
			if fmt.Sprint(lists) != in {
				t.Errorf("%s is in the lists %v, want %s", e.Title, lists, in)
			}
		}
		for _, step := range []struct {
			title   string
			to      feed.ListTarget
			changed bool
			want    string
		}{
			{"d", feed.ListTarget{Position: 2}, true, "a d b c"},
			{"d", feed.ListTarget{Position: 2}, false, "a d b c"},
			{"d", feed.ListTarget{}, false, "a d b c"},
			{"a", feed.ListTarget{Position: 1000}, true, "d b c a"},
			{"a", feed.ListTarget{Position: 1000}, false, "d b c a"},
			{"c", feed.ListTarget{Before: all[3].Number()}, true, "c d b a"},
			{"c", feed.ListTarget{Before: all[0].Number()}, true, "d b c a"},
			{"c", feed.ListTarget{Before: all[0].Number()}, false, "d b c a"},
			{"c", feed.ListTarget{Before: all[2].Number()}, false, "d b c a"},
			{"d", feed.ListTarget{Position: 3}, true, "b c d a"},
			{"b", feed.ListTarget{Position: 1}, false, "b c d a"},
		} {
			e := all[strings.Index("abcd", step.title)]
			if changed := h.place("front", e, step.to); changed != step.changed {
				t.Errorf("%s to %+v: changed is %v", step.title, step.to, changed)
			}
			want(fmt.Sprintf("%s to %+v", step.title, step.to), step.want)
		}
		other := h.entry(harbour, "other", h.now.Time)
		_, err := h.Rankings.PlaceInList(t.Context(), "front", other, feed.ListTarget{Before: "999"}, "")
		h.fails(err, feed.ErrConflict)
		for _, wantRemoved := range []bool{true, false} {
			removed, err := h.Rankings.RemoveFromList(t.Context(), "front", all[2].ID, "")
			h.ok(err)
			if removed != wantRemoved {
				t.Errorf("removed is %v", removed)
			}
		}
		want("without one in the middle", "b d a")
		h.ok(h.Rankings.RemoveRanked(t.Context(), all[3].ID)) // taken down
		h.ok(h.Rankings.ForgetRanked(t.Context(), all[1].ID)) // expired
		want("without those that are gone", "a")
		_, err = h.Rankings.PlaceInList(t.Context(), "front", all[3], feed.ListTarget{}, "")
		h.fails(err, feed.ErrGone)
		h.wantList("also by time", feed.ListByTime, all, "a c")
		h.ok(h.Rankings.DeleteList(t.Context(), "front", ""))
		h.fails(h.Rankings.DeleteList(t.Context(), "front", ""), feed.ErrNotFound)
		if names := h.article(all[0])["lists"]; names != "" {
			t.Errorf("the entry is still in %s", names)
		}
		if left := h.raw.Strings("KEYS", "list*"); len(left) > 0 {
			t.Errorf("the deleted list leaves %v", left)
		}
	})
}

func TestSavedSearchIsNoListThatEditorsArrange(t *testing.T) {
	each(t, func(h *house) {
		all := h.entries("a")
		save := func(query string) (bool, error) {
			return h.Rankings.SaveList(t.Context(), feed.EntryList{Name: "storms", Title: "Storms", Query: query})
		}
		for i, want := range []bool{true, false} {
			if changed, err := save("storm"); changed != want || err != nil {
				t.Errorf("saved %d times: changed %v, %v", i+1, changed, err)
			}
		}
		changed, err := save("storm -calm")
		h.ok(err)
		list, err := h.Rankings.List(t.Context(), "storms")
		h.ok(err)
		if !changed || list.Query != "storm -calm" || list.Kind != feed.ListSearch {
			t.Errorf("changed %v, the list is %+v", changed, list)
		}
		h.arrange("front", all...)
		_, arranged := h.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: "Front", Query: "storm"})
		_, searched := save("")
		_, placed := h.Rankings.PlaceInList(t.Context(), "storms", all[0], feed.ListTarget{}, "")
		for what, err := range map[string]error{"a query for an arranged list": arranged, "no query": searched, "an entry": placed} {
			if !errors.Is(err, feed.ErrConflict) {
				t.Errorf("%s: got %v", what, err)
			}
		}
		for _, query := range []string{"-", "after:today", "two\nlines"} {
			if _, err := save(query); !errors.Is(err, feed.ErrInvalid) {
				t.Errorf("the query %q: got %v", query, err)
			}
		}
	})
}

func TestNamesOfListsAndGroupsAreDistinct(t *testing.T) {
	each(t, func(h *house) {
		e := h.entries("a")[0]
		h.add("sport", e)
		h.arrange("front")
		_, err := h.Rankings.SaveList(t.Context(), feed.EntryList{Name: "sport", Title: "Sport"})
		h.fails(err, feed.ErrConflict)
		h.fails(h.Rankings.AddToGroup(t.Context(), "front", e), feed.ErrConflict)
		refused, err := h.Rankings.FollowRules(t.Context(), []feed.Selected{{Entry: *e, Groups: []string{"front"}}})
		h.ok(err)
		if refused != 1 {
			t.Errorf("%d memberships by rule are refused", refused)
		}
		for _, name := range []string{"", "score", "top", "a.rss", "a.json", "..", "a.", "A", "a/b", "a b", "a:order", strings.Repeat("a", 65)} {
			_, err := h.Rankings.SaveList(t.Context(), feed.EntryList{Name: name, Title: "T"})
			h.fails(err, feed.ErrInvalid)
		}
		for _, title := range []string{"", " ", "two\nlines", "\u202eright to left", "\xff", strings.Repeat("a", feed.MaxListTitle+1)} {
			_, err := h.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: title})
			h.fails(err, feed.ErrInvalid)
		}
		lists, err := h.Rankings.Lists(t.Context())
		h.ok(err)
		var names []string
		for _, l := range lists[len(feed.BuiltInLists()):] {
			names = append(names, fmt.Sprint(l.Name, " ", l.Kind, " ", l.Title))
		}
		if got := strings.Join(names, ", "); got != "front arranged T front, sport group sport" {
			t.Errorf("the lists are %s", got)
		}
		for list, want := range map[string]feed.ListKind{"front": feed.ListArranged, "sport": feed.ListGroup, "top": feed.ListRanking} {
			if got, err := h.Rankings.List(t.Context(), list); err != nil || got.Kind != want {
				t.Errorf("%s is %+v, %v", list, got, err)
			}
		}
		_, err = h.Rankings.List(t.Context(), "none")
		h.fails(err, feed.ErrNotFound)
	})
}

func TestChangeOfAListIsRefusedAfterAnother(t *testing.T) {
	each(t, func(h *house) {
		all := h.entries("a b c")
		h.arrange("front", all[:2]...)
		version := func() string {
			list, err := h.Rankings.List(t.Context(), "front")
			h.ok(err)
			return list.Version
		}
		seen := version()
		save := func(title, version string) error {
			_, err := h.Rankings.SaveList(t.Context(), feed.EntryList{Name: "front", Title: title, Version: version})
			return err
		}
		refused := func(what string) {
			t.Helper()
			if version() == seen {
				t.Errorf("%s leaves the version as it is", what)
			}
			_, err := h.Rankings.PlaceInList(t.Context(), "front", all[2], feed.ListTarget{}, seen)
			h.fails(err, feed.ErrChanged)
			_, err = h.Rankings.RemoveFromList(t.Context(), "front", all[0].ID, seen)
			h.fails(err, feed.ErrChanged)
			h.fails(save("New", seen), feed.ErrChanged)
			h.fails(h.Rankings.DeleteList(t.Context(), "front", seen), feed.ErrChanged)
			seen = version()
		}
		h.place("front", all[1], feed.ListTarget{Position: 1})
		refused("a move")
		h.ok(save("New", seen))
		refused("another title")
		h.ok(h.Rankings.RemoveRanked(t.Context(), all[0].ID))
		refused("a takedown")
		h.fails(save("New", feed.ListNew), feed.ErrChanged)
		h.ok(h.Rankings.DeleteList(t.Context(), "front", seen))
		h.now.Time = h.now.Time.Add(1)
		h.arrange("front", all[1])
		refused("a list that is created again")
	})
}

func TestListIsBounded(t *testing.T) {
	each(t, func(h *house) {
		h.arrange("front")
		for range feed.MaxListed {
			h.place("front", h.entry(harbour, "x", h.now.Time), feed.ListTarget{})
		}
		_, err := h.Rankings.PlaceInList(t.Context(), "front", h.entry(harbour, "x", h.now.Time), feed.ListTarget{}, "")
		h.fails(err, feed.ErrConflict)
		for i := range feed.MaxLists - 1 {
			h.arrange(fmt.Sprint("list", i))
		}
		_, err = h.Rankings.SaveList(t.Context(), feed.EntryList{Name: "more", Title: "T"})
		h.fails(err, feed.ErrConflict)
		e := h.entry(harbour, "y", h.now.Time)
		for i := range feed.MaxListsOf {
			h.place(fmt.Sprint("list", i), e, feed.ListTarget{})
		}
		_, err = h.Rankings.PlaceInList(t.Context(), "list99", e, feed.ListTarget{}, "")
		h.fails(err, feed.ErrConflict)
		h.ok(h.Rankings.DeleteList(t.Context(), "front", ""))
		if left := h.raw.Int("EXISTS", "list:front:order"); left != 0 {
			t.Error("the order of a deleted list is left")
		}
	})
}

// Each move halves the distance of two neighbours, until the scores are whole numbers again.
func TestEntryMovesBetweenTheSameNeighboursManyTimes(t *testing.T) {
	each(t, func(h *house) {
		all := h.entries("a b c d")
		h.arrange("front", all...)
		order := []*feed.Entry{all[0], all[1], all[2], all[3]}
		for i := range 200 {
			moved := order[2]
			h.place("front", moved, feed.ListTarget{Position: 2})
			order[1], order[2] = moved, order[1]
			want := []string{order[0].Title, order[1].Title, order[2].Title, order[3].Title}
			if got := h.list("front", all...); !slices.Equal(got, want) {
				t.Fatalf("after move %d the order is %v, want %v", i, got, want)
			}
		}
	})
}

func TestConcurrentEditorsLoseNoEntry(t *testing.T) {
	each(t, func(h *house) {
		var all []*feed.Entry
		for i := range 40 {
			all = append(all, h.entry(harbour, fmt.Sprint(i), h.now.Time))
		}
		h.arrange("front", all...)
		var editors sync.WaitGroup
		failures := make(chan error, 16)
		for editor := range 16 {
			editors.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(editor)))
				for range 25 {
					_, err := h.Rankings.PlaceInList(t.Context(), "front", all[random.IntN(40)], feed.ListTarget{Position: 1 + random.IntN(40)}, "")
					if err != nil {
						failures <- err
						return
					}
				}
			})
		}
		editors.Wait()
		close(failures)
		for err := range failures {
			t.Error(err)
		}
		got := h.list("front")
		slices.Sort(got)
		if distinct := slices.Compact(slices.Clone(got)); len(got) != 40 || len(distinct) != 40 {
			t.Errorf("the list has %d entries, %d different ones", len(got), len(distinct))
		}
	})
}
