package article_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/article"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestCheckUpgradesStatesOfLayout1(t *testing.T) {
	storetest.Each(t, func(t *testing.T, opts core.Options, _ *storetest.Clock, raw *storetest.Redigo) {
		open := func() (*store.Store, *article.Store) {
			all := storetest.New(t, opts)
			if err := all.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			return all, article.New(storetest.DB(t, opts))
		}
		_, s := open()
		uuid := save(t, s, "g1", "v1")
		publish(t, s, uuid, "production")
		seen := seen(t, s, uuid)
		first := decide(t, s, "d1", uuid, false, seen)
		before := placement(t, s, uuid, "production")
		asLayout1(raw, "d1", uuid, "production")

		all, upgraded := open()
		if err := all.Check(t.Context()); err != nil { // a second time: there is nothing to upgrade
			t.Fatal(err)
		}
		if schema := raw.Int("GET", "schema"); schema != core.SchemaVersion {
			t.Errorf("the layout is %d", schema)
		}
		after := placement(t, upgraded, uuid, "production")
		if after.State != feed.StateWithdrawn || !after.Withdrawn.Equal(before.Withdrawn) {
			t.Errorf("the withdrawn article is %+v, was %+v", after, before)
		}
		if again := decide(t, upgraded, "d1", uuid, false, seen); !again.Transition.Repeated || again.Transition.To != first.Transition.To {
			t.Errorf("the repeated request returned %+v, first %+v", again, first)
		}
		if back := undo(t, upgraded, "d1"); back.Err != nil || back.Transition.To != feed.StatePublished {
			t.Errorf("undo: %+v", back)
		}
	})
}

// asLayout1 rewrites a decision about an article as feedwire stored it in layout 1.
func asLayout1(raw *storetest.Redigo, id, uuid, typ string) {
	old := strings.NewReplacer(`"unpublished"`, `"known"`, `"withdrawn"`, `"taken_back"`)
	raw.Do("RENAME", "withdrawn_"+typ, "taken_back_"+typ)
	request := "request:" + id + " " + uuid + " " + typ
	raw.Do("SET", request, old.Replace(fmt.Sprintf("%s", raw.Do("GET", request))), "KEEPTTL")
	field := uuid + " " + typ
	raw.Do("HSET", "undo:"+id, field, old.Replace(fmt.Sprintf("%s", raw.Do("HGET", "undo:"+id, field))))
	raw.Do("SET", "schema", 1)
}
