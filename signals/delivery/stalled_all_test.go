//go:build !race

package delivery_test

import (
	"testing"
	"time"
)

// Hosts that accept deliveries and never respond delay others by at most 200 ms, no matter how many stall.
func TestStalledHostsDelayNoOthers(t *testing.T) {
	t.Parallel()
	const apart = 12 * time.Second
	undisturbed := deliverStalled(t, nil, nil, apart)
	for name, stalled := range map[string][]string{"one": stalledHosts()[:1], "nearly all": stalledHosts()[1:]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkDelay(t, stalled, deliverStalled(t, stalled, nil, apart), undisturbed)
		})
	}
}
