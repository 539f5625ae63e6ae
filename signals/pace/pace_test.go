package pace_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/pace"
)

func TestPacerAppliesRateInBoundedMemory(t *testing.T) {
	p := pace.New(pace.Rate{Every: time.Second, Burst: 3})
	now := time.Unix(1795206000, 0)
	for n, want := range []time.Duration{0, 0, 0, 1, 2, 3} {
		if got := p.Book("a", now).Sub(now); got != want*time.Second {
			t.Errorf("turn %d is in %v, want %v s", n, got, want)
		}
	}
	if got := p.Wait("a", now); got != 4*time.Second {
		t.Errorf("the next one waits %v", got)
	}
	if got := p.Wait("a", now.Add(6*time.Second)); got != 0 {
		t.Errorf("when all turns are over it waits %v", got)
	}
	if p.Wait("b", now) != 0 || p.Wait("", now) != 0 {
		t.Error("others wait")
	}
	addr := netip.MustParseAddr("10.0.0.0")
	for range 50_000 {
		addr = addr.Next()
		p.Book(addr.String(), now)
	}
	if n := p.Keys(); n > 20_000 {
		t.Errorf("%d names are remembered", n)
	}
}
