package ranking_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// follow applies rules that select an entry for groups, and returns how many it could not join.
func (h *house) follow(e *feed.Entry, groups ...string) int {
	h.t.Helper()
	refused, err := h.Rankings.FollowRules(h.t.Context(), []feed.Selected{{Entry: *e, Groups: groups}})
	h.ok(err)
	return refused
}

// in fails the test unless an entry is a member of groups.
func (h *house) in(what string, e *feed.Entry, groups ...string) {
	h.t.Helper()
	got := strings.FieldsFunc(h.article(e)["groups"], func(r rune) bool { return r == ',' })
	slices.Sort(got)
	if !slices.Equal(got, groups) {
		h.t.Errorf("%s: the groups are %v, want %v", what, got, groups)
	}
}

func TestEntryJoinsAndLeavesGroupsByRule(t *testing.T) {
	each(t, func(h *house) {
		e, other := h.entry(harbour, "one", h.now.Time), h.entry(harbour, "two", h.now.Time)
		h.follow(other)
		if a := h.article(other); len(a) > 0 {
			t.Errorf("an entry of no group is the article %v", a)
		}
		for range 2 {
			h.follow(e, "sport", "sea")
			h.in("selected", e, "sea", "sport")
		}
		h.wantList("selected", "sport", []*feed.Entry{e}, "one")
		h.follow(other, "sport")
		h.wantList("stored", "sport", []*feed.Entry{e, other}, "two one")
		h.follow(e, "sea", "arts")
		h.in("edited", e, "arts", "sea")
		h.wantList("after the edit", "sport", []*feed.Entry{e, other}, "two")
		h.follow(e)
		h.in("without rules", e)
		h.ok(h.Rankings.RemoveRanked(t.Context(), e.ID))
		h.follow(e, "sport")
		if a := h.article(e); len(a) != 1 {
			t.Errorf("what was taken down is the article %v", a)
		}
	})
}

func TestEditorsHaveTheLastWordAboutGroups(t *testing.T) {
	each(t, func(h *house) {
		added, removed, confirmed := h.entry(harbour, "added", h.now.Time), h.entry(harbour, "removed", h.now.Time), h.entry(harbour, "confirmed", h.now.Time)
		h.add("sport", added)
		h.follow(added, "sport")
		h.follow(removed, "sport")
		h.follow(confirmed, "sport")
		h.add("sport", confirmed)
		for range 2 {
			h.ok(h.Rankings.RemoveFromGroup(t.Context(), "sport", removed.ID))
		}
		for range 2 {
			h.follow(removed, "sport", "sea")
			h.in("removed by an editor", removed, "sea")
			h.follow(removed)
		}
		for _, e := range []*feed.Entry{added, confirmed} {
			h.follow(e)
			h.in(e.Title+" by an editor", e, "sport")
		}
		h.add("sport", removed)
		h.follow(removed)
		h.in("added again", removed, "sport")
		h.ok(h.Rankings.RemoveFromGroup(t.Context(), "other", added.ID))
		h.follow(added, "sport", "other")
		h.in("which it was not in", added, "other", "sport")
	})
}

func TestGroupsByRuleAreBounded(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		var names []string
		for i := range feed.MaxGroupsOf + 3 {
			names = append(names, fmt.Sprint("g", i))
		}
		if refused := h.follow(e, names...); refused != 3 {
			t.Errorf("%d groups are refused", refused)
		}
		for _, name := range names[:feed.MaxGroupsOf] {
			h.ok(h.Rankings.RemoveFromGroup(t.Context(), name, e.ID))
		}
		h.follow(e, names[feed.MaxGroupsOf:]...)
		h.ok(h.Rankings.RemoveFromGroup(t.Context(), names[feed.MaxGroupsOf], e.ID))
		if n := strings.Count(h.article(e)["not_by_rule"], ",") + 1; n != feed.MaxGroupsOf {
			t.Errorf("%d removals are remembered", n)
		}
		all := []any{"groups"}
		for i := range feed.MaxGroups {
			all = append(all, fmt.Sprint("x", i))
		}
		h.raw.Do("SADD", all...)
		if refused := h.follow(h.entry(harbour, "two", h.now.Time), "new"); refused != 1 {
			t.Errorf("a group too many is not refused")
		}
		h.raw.Do("SREM", all...)
	})
}

func TestGroupWithRulesIsRemoved(t *testing.T) {
	each(t, func(h *house) {
		e := h.entry(harbour, "one", h.now.Time)
		h.follow(e, "sport")
		h.ok(h.Rankings.RemoveGroup(t.Context(), "sport"))
		h.in("removed", e)
		h.follow(e, "sport")
		h.in("selected again", e, "sport")
	})
}

func TestFollowedRulesAreRemembered(t *testing.T) {
	each(t, func(h *house) {
		for _, want := range []string{"", "a", "b"} {
			if want != "" {
				h.ok(h.Rankings.SetRulesFollowed(t.Context(), want))
			}
			if got, err := h.Rankings.RulesFollowed(t.Context()); err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
	})
}
