package core_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

// Each of 64 goroutines gets the reply to its own calls, and a call that fails harms no other. Calls with other shared arguments are not joined.
func TestJoinedCallsGetTheirOwnReplies(t *testing.T) {
	const callers, calls = 64, 20
	test := func(t *testing.T, options core.Options) {
		db := storetest.DB(t, options)
		counter, damaged := db.Desk().Key("count"), db.Desk().Key("damaged")
		script := db.NewScript("join", `
			redis.call('INCR', KEYS[1])
			local replies = {}
			for i = 2, #ARGV do
				redis.call('HSET', KEYS[i], ARGV[i], 1)
				replies[i - 1] = ARGV[1] .. ' ' .. ARGV[i]
			end
			return replies`)
		_, err := db.Do(t.Context(), "set", "SET", damaged, "no hash")
		must(t, err)
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				shared, key := fmt.Sprint("shared ", caller%2), db.Desk().Key(fmt.Sprint("own ", caller))
				if caller == 5 {
					key = damaged
				}
				for n := range calls {
					own := fmt.Sprint(caller, " ", n)
					reply, err := redis.String(db.RunJoined(t.Context(), script, core.Invocation{Keys: []any{counter, key}, Args: []any{shared, own}}, core.Shared{Keys: 1, Args: 1}))
					switch {
					case key == damaged && (err == nil || !strings.Contains(err.Error(), "WRONGTYPE")):
						t.Errorf("the call with the damaged key returned %q, %v", reply, err)
					case key != damaged && (err != nil || reply != shared+" "+own):
						t.Errorf("%s, %s: got %q, %v", shared, own, reply, err)
					}
				}
			})
		}
		all.Wait()
		executed, err := redis.Int(db.Do(t.Context(), "get", "GET", counter))
		must(t, err)
		if executed == 0 || executed >= callers*calls {
			t.Errorf("the script was executed %d times for %d calls", executed, callers*calls)
		}
	}
	storetest.Engines(t, func(t *testing.T, dial core.DialFunc) { test(t, core.Options{Dial: dial}) })
	t.Run("cluster", func(t *testing.T) {
		options, _ := spread(t)
		test(t, options)
	})
}
