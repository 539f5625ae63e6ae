package core_test

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestNowFollowsTheClockOfRedis(t *testing.T) {
	server := miniredis.RunT(t)
	db := storetest.DB(t, core.Options{URL: "redis://" + server.Addr()})
	for _, c := range []struct {
		what        string
		ahead, want time.Duration // of this machine
	}{
		{"the clocks agree", 0, 0},
		{"a difference that daemons tolerate", 3 * time.Second, 0},
		{"an hour ahead", time.Hour, time.Hour},
		{"a little less", time.Hour - 3*time.Second, time.Hour},
		{"a day behind", -24 * time.Hour, -24 * time.Hour},
		{"the clocks agree again", 0, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			server.SetTime(time.Now().Add(c.ahead))
			if err := db.ReadClock(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := time.Until(db.Now().Round(0))
			if off := got - c.want; off.Abs() > 2*time.Second {
				t.Errorf("now is %v ahead of this machine", got)
			}
		})
	}
}
