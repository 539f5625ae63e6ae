package turns_test

import (
	"slices"
	"testing"

	"github.com/feedwire/feedwire/signals/turns"
)

// drain removes all work.
func drain(q *turns.Queue[string]) (all []string) {
	for work, ok := q.Next(); ok; work, ok = q.Next() {
		all = append(all, work)
	}
	return all
}

func TestSourcesTakeTurns(t *testing.T) {
	q := turns.New[string](10, 100)
	for _, work := range []string{"a1", "a2", "a3", "b1", "c1", "c2"} {
		if !q.Add(work[:1], work, 1) {
			t.Errorf("%s is refused", work)
		}
	}
	if got, want := drain(q), []string{"a1", "b1", "c1", "a2", "c2", "a3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !q.Add("a", "a4", 1) || !slices.Equal(drain(q), []string{"a4"}) {
		t.Error("the emptied queue does not work")
	}
}

func TestQueueIsBounded(t *testing.T) {
	q := turns.New[string](3, 6)
	for _, c := range []struct {
		work  string
		size  int
		added bool
	}{{"a1", 2, true}, {"a2", 2, false}, {"a3", 1, true}, {"b1", 5, true}, {"c1", 1, false}} {
		if added := q.Add(c.work[:1], c.work, c.size); added != c.added {
			t.Errorf("%s of size %d: added is %v", c.work, c.size, added)
		}
	}
	if got, want := drain(q), []string{"a1", "b1", "a3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !q.Add("c", "c1", 1) {
		t.Error("the emptied queue has no room")
	}
}
