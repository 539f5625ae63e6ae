package ranking_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// shelf is a list that editors arrange, and what it must be.
type shelf struct {
	*house
	random   *rand.Rand
	entries  []*feed.Entry
	order    []*feed.Entry // nil: there is no list
	version  string        // of the list; empty: there is none
	earlier  string        // a version of the list that was replaced
	mistakes []string
}

func newShelf(h *house, seed uint64) *shelf {
	s := &shelf{house: h, random: rand.New(rand.NewPCG(18, seed))}
	for i := range 8 {
		s.entries = append(s.entries, h.entry(harbour, fmt.Sprint(i), h.now.Time))
	}
	return s
}

// walk does anything at random, and moves the third entry between the first two as often as halves their distance away, until the list is not as it must be.
func (s *shelf) walk(steps int) {
	for step := range steps {
		s.step()
		for i := 0; step == steps/2 && i < 60 && len(s.order) > 2; i++ {
			s.moves(s.order[2], feed.ListTarget{Position: 2}, "")
		}
		if len(s.mistakes) > 0 {
			return
		}
	}
}

func (s *shelf) step() {
	e, version := s.entries[s.random.IntN(len(s.entries))], []string{"", s.version, s.earlier}[s.random.IntN(3)]
	ctx := s.t.Context()
	switch n := s.random.IntN(100); {
	case n < 60:
		to := feed.ListTarget{Position: s.random.IntN(len(s.entries) + 2)}
		if s.random.IntN(2) == 0 {
			to = feed.ListTarget{Before: s.entries[s.random.IntN(len(s.entries))].Number()}
		}
		s.moves(e, to, version)
	case n < 75:
		at := slices.Index(s.order, e)
		removed, err := s.Rankings.RemoveFromList(ctx, "front", e.ID, version)
		if s.refused("remove", version, err); err == nil && removed != (at >= 0) {
			s.wrong("removed is %v of an entry at %d", removed, at)
		}
		s.changed(err == nil && at >= 0, func() { s.order = slices.Delete(s.order, at, at+1) })
	case n < 80:
		listed := slices.Contains(s.order, e)
		if err := s.Rankings.ForgetRanked(ctx, e.ID); err != nil {
			s.wrong("forget: %v", err)
		}
		s.changed(listed, func() { s.order = slices.DeleteFunc(s.order, func(o *feed.Entry) bool { return o == e }) })
	case n < 84:
		err := s.Rankings.DeleteList(ctx, "front", version)
		s.refused("delete", version, err)
		s.changed(err == nil, func() { s.order = nil })
	default:
		s.saves(fmt.Sprint("Title ", s.random.IntN(2)), version)
	}
}

// saves creates the list or gives it a title.
func (s *shelf) saves(title, version string) {
	before, _ := s.Rankings.List(s.t.Context(), "front")
	s.now.Time = s.now.Time.Add(1e9) // a list that is created again has another version
	if version == "" && s.version == "" && s.random.IntN(2) == 0 {
		version = feed.ListNew
	}
	changed, err := s.Rankings.SaveList(s.t.Context(), feed.EntryList{Name: "front", Title: title, Version: version})
	switch stale := version != "" && version != s.version && (version != feed.ListNew || s.version != ""); {
	case stale != errors.Is(err, feed.ErrChanged) || err != nil && !stale:
		s.wrong("save version %q of %q: %v", version, s.version, err)
	case err == nil && changed == (before.Title == title):
		s.wrong("%q was saved in place of %q: changed is %v", title, before.Title, changed)
	}
	s.changed(err == nil && before.Title != title, func() { s.order = slices.Clip(append([]*feed.Entry{}, s.order...)) })
	if after, _ := s.Rankings.List(s.t.Context(), "front"); err == nil && after.Title != title {
		s.wrong("the title is %q, want %q", after.Title, title)
	}
}

// moves places an entry, and compares the result with what the target says.
func (s *shelf) moves(e *feed.Entry, to feed.ListTarget, version string) {
	at := slices.Index(s.order, e)
	others := slices.DeleteFunc(slices.Clone(s.order), func(o *feed.Entry) bool { return o == e })
	place := min(max(to.Position, 1)-1, len(others))
	missing := false
	switch {
	case to.Before != "":
		place = slices.IndexFunc(others, func(o *feed.Entry) bool { return o.Number() == to.Before })
		if itself := to.Before == e.Number() && at >= 0; itself {
			place = at
		}
		missing = place < 0
	case to.Position == 0 && at >= 0:
		place = at
	}
	changed, err := s.Rankings.PlaceInList(s.t.Context(), "front", e, to, version)
	if missing && !s.stale(version) && s.version != "" {
		if !errors.Is(err, feed.ErrConflict) {
			s.wrong("%s before %s, which is not there: %v", e.Title, to.Before, err)
		}
		s.changed(false, nil)
		return
	}
	if s.refused("place", version, err); err == nil && changed != (place != at) {
		s.wrong("%s from %d to %d: changed is %v", e.Title, at, place, changed)
	}
	s.changed(err == nil && place != at, func() { s.order = slices.Insert(others, place, e) })
}

func (s *shelf) stale(version string) bool { return version != "" && version != s.version }

// refused notes an error other than the one of a change with a version.
func (s *shelf) refused(what, version string, err error) {
	var want error
	switch {
	case s.version == "":
		want = feed.ErrNotFound
	case s.stale(version):
		want = feed.ErrChanged
	}
	if !errors.Is(err, want) {
		s.wrong("%s of version %q, where %q is: got %v, want %v", what, version, s.version, err, want)
	}
}

// changed follows a change, and compares the list with what it must be.
func (s *shelf) changed(changed bool, follow func()) {
	if changed {
		follow()
	}
	list, _ := s.Rankings.List(s.t.Context(), "front")
	if known := list.Version != s.version; known != changed {
		s.wrong("a change (%v) led from version %q to %q", changed, s.version, list.Version)
	}
	if list.Version != s.version {
		s.earlier, s.version = s.version, list.Version
	}
	if (s.version == "") != (s.order == nil) {
		s.wrong("the list has the version %q and the entries %v", s.version, s.order)
	}
	var got, want []string
	if places, _, err := s.Rankings.ListPlaces(s.t.Context(), "front", feed.Cursor{}, 100); err == nil {
		for _, p := range places {
			got = append(got, p.Member)
		}
	}
	for _, e := range s.order {
		want = append(want, e.Number())
	}
	if !slices.Equal(got, want) {
		s.wrong("the order is %v, want %v", got, want)
	}
	for _, e := range s.entries {
		if in, err := s.Rankings.ListsOf(s.t.Context(), e.ID); err != nil || (len(in) > 0) != slices.Contains(s.order, e) {
			s.wrong("%s is in the lists %v, %v", e.Title, in, err)
		}
	}
}

func (s *shelf) wrong(format string, args ...any) {
	s.mistakes = append(s.mistakes, fmt.Sprintf(format, args...))
}

func TestArrangedListIsThatOfTheModel(t *testing.T) {
	each(t, func(h *house) {
		s := newShelf(h, 1)
		if s.walk(100); len(s.mistakes) > 0 {
			t.Errorf("%s", strings.Join(s.mistakes, "\n"))
		}
	})
}

func TestModelOfListsCatchesWrongScripts(t *testing.T) {
	const version = "redis.call('HINCRBY', list, 'version', 1)"
	for name, mutant := range map[string]struct{ script, from, to string }{
		"none": {},
		"a move takes the place of the one above":               {"place_entry", "(above + below) / 2", "above"},
		"an entry that moves down counts itself":                {"place_entry", "if held and held < target then target = target - 1 end", ""},
		"positions begin at 0":                                  {"place_entry", "math.max(position, 1) - 1", "position"},
		"entries without a place in between are not renumbered": {"place_entry", "above - below < 2 ^ -20", "false"},
		"entries are renumbered from below":                     {"place_entry", "#members - i", "i"},
		"a move to the same place is a change":                  {"place_entry", "if before == member or held == target then return 'same' end", ""},
		"a move ignores the entry that is to follow":            {"place_entry", "if before ~= '' then", "if before == member then"},
		"a move keeps the version":                              {"place_entry", version, ""},
		"an added entry does not know its list":                 {"place_entry", "add_name(article, 'lists', name)", ""},
		"a removal keeps the version":                           {"remove_from_list", "redis.call('HINCRBY', KEYS[7], 'version', 1)", ""},
		"a removed entry knows its list":                        {"remove_from_list", "drop_name(article, 'lists', ARGV[11])", ""},
		"an entry that expired stays in the list":               {"delete_article", "redis.call('ZREM', prefix .. 'list:' .. name .. ':order', member) == 1", "true"},
		"entries of a deleted list know it":                     {"delete_list", "drop_name(ARGV[1] .. member, 'lists', ARGV[2])", ""},
		"a new title keeps the version":                         {"save_list", version, ""},
		"a list is created twice":                               {"save_list", "if ARGV[4] ~= '' and ARGV[4] ~= (version or 'new') then return 'changed' end", ""},
		"the version does not matter":                           {"remove_from_list", "if expected ~= '' and expected ~= version then return 'changed' end", ""},
	} {
		t.Run(name, func(t *testing.T) {
			now, edited := storetest.NewClock(), 0
			opts := core.Options{Dial: storetest.Redis(t), Now: now.Now, EditScript: func(script, text string) string {
				if script != mutant.script {
					return text
				}
				edited += strings.Count(text, mutant.from)
				return strings.Replace(text, mutant.from, mutant.to, 1)
			}}
			s := newShelf(&house{Store: storetest.New(t, opts), t: t, now: now}, 1)
			if s.walk(300); (len(s.mistakes) > 0) != (mutant.from != "") || (edited > 0) != (mutant.from != "") {
				t.Errorf("the model found %q; %d scripts were changed", s.mistakes, edited)
			}
		})
	}
}
